/** The tables of settings of all commands. `--help`, completion and the table in the README are derived from them. */

import {
  ALERTS_TEST_SETTINGS,
  CLIENT_SETTINGS,
  DELETE_SETTINGS,
  HEALTH_SETTINGS,
  QUERY_SETTINGS,
  TAIL_SETTINGS,
  USAGE_SETTINGS,
  VIEWS_SETTINGS,
  WATCH_SETTINGS,
} from './client-settings.js'
import {
  CHECK_SETTINGS,
  EXPORT_SETTINGS,
  IMPORT_SETTINGS,
  LINES_SETTINGS,
  SCHEMA_SETTINGS,
  SQL_SETTINGS,
  TOKEN_LIST_SETTINGS,
  TOKEN_PLACE_SETTINGS,
  TOKEN_SETTINGS,
  VIEWS_DROP_SETTINGS,
} from './directory-settings.js'
import { DEMO_SETTINGS, GENERATE_SETTINGS } from './generate-settings.js'
import { CONFIG_SETTINGS, SERVE_SETTINGS } from './serve-settings.js'
import { type Settings, variableOf } from './setting.js'

/** Settings that a settings file may contain: all commands share a file. */
export const FILE_SETTINGS: Settings = { ...CLIENT_SETTINGS, ...SERVE_SETTINGS }

/** The tables of all commands. */
const TABLES: readonly Settings[] = [
  SERVE_SETTINGS,
  CONFIG_SETTINGS,
  SCHEMA_SETTINGS,
  EXPORT_SETTINGS,
  IMPORT_SETTINGS,
  TOKEN_SETTINGS,
  TOKEN_LIST_SETTINGS,
  TOKEN_PLACE_SETTINGS,
  HEALTH_SETTINGS,
  ALERTS_TEST_SETTINGS,
  QUERY_SETTINGS,
  WATCH_SETTINGS,
  VIEWS_SETTINGS,
  VIEWS_DROP_SETTINGS,
  DELETE_SETTINGS,
  SQL_SETTINGS,
  LINES_SETTINGS,
  CHECK_SETTINGS,
  TAIL_SETTINGS,
  USAGE_SETTINGS,
  GENERATE_SETTINGS,
  DEMO_SETTINGS,
]

/** The variables that commands read. A variable is read by each command that has the flag of the same name. */
export const VARIABLES: readonly string[] = [
  ...new Set(
    TABLES.flatMap((table) => Object.entries(table))
      .filter(([, { variable }]) => variable !== false)
      .map(([name, setting]) => variableOf(name, setting)),
  ),
]
