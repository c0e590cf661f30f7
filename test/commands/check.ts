import { readCheckConfig } from '../../src/check/check-config.js'
import { readAlertsTest } from '../../src/client/alerts-test.js'
import { readDelete } from '../../src/client/delete.js'
import type { EndpointCall } from '../../src/client/endpoint-call.js'
import { parametersOf } from '../../src/client/endpoints.js'
import { readQuery } from '../../src/client/run-query.js'
import { readTail } from '../../src/client/tail.js'
import { readUsage } from '../../src/client/usage/run-usage.js'
import { readWatch } from '../../src/client/watch.js'
import { COMMANDS } from '../../src/commands/all.js'
import { findCommand } from '../../src/commands/call/find.js'
import { helpOn } from '../../src/commands/help.js'
import { readAlertsCheckConfig } from '../../src/config/alerts-config.js'
import { readExportConfig, readSchemaConfig } from '../../src/config/clickhouse-config.js'
import { QUERY_SETTINGS, WATCH_SETTINGS } from '../../src/config/client-settings.js'
import { readDemoConfig } from '../../src/config/demo-config.js'
import { readGenerateConfig } from '../../src/config/generate-config.js'
import { readHealthConfig } from '../../src/config/health-config.js'
import { readImportConfig } from '../../src/config/import-config.js'
import { readEffectiveSettings, readServeConfig } from '../../src/config/serve-config.js'
import type { Settings } from '../../src/config/setting.js'
import { readTokenCreateConfig, readTokenListConfig, readTokenRevokeConfig } from '../../src/config/token-config.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { definitions } from '../../src/http/query/definitions.js'
import { readLinesConfig } from '../../src/lines/lines-config.js'
import { readMaskConfig } from '../../src/mask-command/mask-config.js'
import { readLinesSql, readSql } from '../../src/sql/read-sql.js'
import { compileSql } from '../../src/sql-directory/compile.js'
import { readSqlConfig } from '../../src/sql-directory/sql-config.js'
import { readDropConfig, readViewsConfig } from '../../src/view-commands/views-config.js'
import { EXAMPLES } from '../user-endpoints/examples.js'

/** The endpoints that documents name. */
const SERVED = [...ENDPOINTS, ...EXAMPLES.map(({ endpoint }) => endpoint)]

/** Throws if a command line in a document would be refused. */
export function checkCommand(args: readonly string[]): void {
  const { command, rest } = findCommand(args, COMMANDS)
  const read = READERS[command.name]
  if (read === undefined) throw new Error(`no check for this command: ${args.join(' ')}`)
  read(rest)
}

const ignoreWarning = () => {}

function checkCall({ endpoint, flags: all, sql }: EndpointCall, settings: Settings): void {
  if (sql !== undefined) readSql(sql).plan({}, 0)
  if (endpoint === undefined) return
  // Services that run no SQL do not list this parameter.
  const flags = all.filter(([flag]) => flag !== '--sql')
  const listed = JSON.parse(definitions(SERVED)).result.find(({ name }: { name: string }) => name === endpoint)
  const given = Object.assign(parametersOf(listed, flags, settings), { defaultProject: 'that of the service' })
  SERVED.find(({ name }) => name === endpoint)!.call(given)
}

const READERS: Record<string, (args: readonly string[]) => unknown> = {
  serve: (args) => readServeConfig(args, {}),
  generate: readGenerateConfig,
  demo: readDemoConfig,
  health: (args) => readHealthConfig(args, {}),
  config: (args) => readEffectiveSettings(args, {}),
  tail: (args) => readTail(args, {}, ignoreWarning),
  query: (args) => checkCall(readQuery(args, {}, ignoreWarning), QUERY_SETTINGS),
  watch: (args) => checkCall(readWatch(args, {}, ignoreWarning), WATCH_SETTINGS),
  sql(args) {
    const { sql, project } = readSqlConfig(args, {})
    compileSql({ sql, project }, 0, undefined)
  },
  // The text is parsed only: compiled, it would make the source of lines known to other tests.
  lines: (args) => readLinesSql(readLinesConfig(args, {}).sql),
  check: (args) => readCheckConfig(args, {}),
  mask: (args) => readMaskConfig(args, {}),
  'alerts check': (args) => readAlertsCheckConfig(args, {}),
  delete: (args) => readDelete(args, {}, ignoreWarning),
  'alerts test': (args) => readAlertsTest(args, {}, ignoreWarning),
  usage: (args) => readUsage(args, {}),
  views: (args) => readViewsConfig(args, {}),
  'views drop': (args) => readDropConfig(args, {}),
  'token create': (args) => readTokenCreateConfig(args, {}),
  'token list': (args) => readTokenListConfig(args, {}),
  'token revoke': (args) => readTokenRevokeConfig(args, {}),
  'schema clickhouse': (args) => readSchemaConfig(args, {}),
  export: (args) => readExportConfig(args, {}),
  import: (args) => readImportConfig(args, {}),
  help: (args) => helpOn(args, COMMANDS),
  version: () => {},
  completion([shell]) {
    if (!/^(bash|zsh|fish)$/.test(shell!)) throw new Error(`no such shell: ${shell}`)
  },
}
