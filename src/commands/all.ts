import { alertsCheck, alertsTest } from './alerts.js'
import type { Command } from './call/command.js'
import { check } from './check.js'
import { completion } from './completion.js'
import { config } from './config.js'
import { deleteRows } from './delete.js'
import { demo } from './demo.js'
import { exportTo } from './export.js'
import { generate } from './generate.js'
import { health } from './health.js'
import { help } from './help.js'
import { importFrom } from './import.js'
import { lines } from './lines.js'
import { mask } from './mask.js'
import { query } from './query.js'
import { schema } from './schema.js'
import { serve } from './serve.js'
import { sql } from './sql.js'
import { tail } from './tail.js'
import { tokenCreate, tokenList, tokenRevoke } from './token.js'
import { usage } from './usage.js'
import { version } from './version.js'
import { views, viewsDrop } from './views.js'
import { watch } from './watch.js'

/** All commands in the order of the help. A new command is a file and a line here. */
export const COMMANDS: readonly Command[] = [
  serve,
  lines,
  query,
  sql,
  tail,
  watch,
  health,
  usage,
  config,
  tokenCreate,
  tokenList,
  tokenRevoke,
  check,
  mask,
  alertsCheck,
  alertsTest,
  views,
  viewsDrop,
  deleteRows,
  generate,
  demo,
  schema,
  exportTo,
  importFrom,
  completion,
  help,
  version,
]
