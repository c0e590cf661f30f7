/** The settings of commands that ask a running service. */

import { SERVE_SETTINGS, SETTINGS_FILE } from './serve-settings.js'
import type { Settings } from './setting.js'
import { sourceName } from './source-types.js'
import { httpUrl, isoTime, listOf, oneOf, onOff, text, type ValueType } from './value-types.js'

/** A filter of the live tail: any list in JSON. The service checks the conditions. */
const filterText: ValueType<string> = {
  placeholder: 'JSON',
  expects: `a list of conditions in JSON, such as '[{"field":"response.status_code","op":">=","value":500}]'`,
  read: (value) => (isJsonList(value) ? value : undefined),
}

function isJsonList(value: string): boolean {
  try {
    return Array.isArray(JSON.parse(value))
  } catch {
    return false
  }
}

const SERVICE_URL = 'http://127.0.0.1:4000'

/** Settings of all clients: the address of a running service, and the token. */
export const CLIENT_SETTINGS = {
  ...SETTINGS_FILE,
  url: { type: httpUrl('a logweir service', SERVICE_URL), default: SERVICE_URL, meaning: 'address of the service' },
  token: {
    type: text(''),
    flag: false,
    secret: true,
    meaning: 'access token to send; never a flag; default: the one stored in the data directory',
  },
  dataDir: { ...SERVE_SETTINGS.dataDir, meaning: 'where a service on this machine stores its access token' },
} satisfies Settings

/** Settings that choose the format of rows. */
export const FORMAT_SETTINGS = {
  format: {
    type: oneOf('FORMAT', 'table', 'json', 'ndjson', 'csv'),
    variable: false,
    meaning: 'table, json, ndjson or csv; default: table on a terminal or with --columns, else json',
  },
  columns: {
    type: listOf(text('NAME')),
    variable: false,
    meaning: 'columns of the table, in this order; default: all',
  },
  wide: { type: onOff, variable: false, meaning: 'do not cut cells of the table to the width of the terminal' },
} satisfies Settings

/** Settings of `logweir health`: the address of the service on this machine, by the same names as for serve. */
export const HEALTH_SETTINGS = {
  ...SETTINGS_FILE,
  port: { ...SERVE_SETTINGS.port, meaning: 'TCP port on which the service listens' },
  host: { ...SERVE_SETTINGS.host, meaning: 'address on which it listens' },
} satisfies Settings

/** Settings of `logweir alerts test`. */
export const ALERTS_TEST_SETTINGS = {
  last: {
    type: text('TIME'),
    default: '7d',
    variable: false,
    meaning: 'the time before now in which the rule is evaluated, such as 30m, 12h or 7d',
  },
  ...CLIENT_SETTINGS,
} satisfies Settings

/** Settings that name a query of a running service. The parameters of the endpoint are extra flags. */
export const CALL_SETTINGS = {
  sql: {
    type: text('TEXT'),
    variable: false,
    meaning: 'a query of your own in SQL, instead of ENDPOINT; the service needs --sql too',
  },
  sqlFile: { type: text('FILE'), variable: false, meaning: 'a file with such a query' },
  project: {
    type: text(''),
    flag: false,
    meaning: 'project, if an endpoint requires one and --project is not given; default: that of the service',
  },
  ...CLIENT_SETTINGS,
} satisfies Settings

/** Settings of `logweir query`. */
export const QUERY_SETTINGS = { ...CALL_SETTINGS, ...FORMAT_SETTINGS } satisfies Settings

/** Settings of `logweir watch`. */
export const WATCH_SETTINGS = {
  ...CALL_SETTINGS,
  format: {
    type: oneOf('FORMAT', 'table', 'ndjson'),
    variable: false,
    meaning: 'table: the rows as they are now; ndjson: the events; default: table on a terminal or with --columns',
  },
  columns: FORMAT_SETTINGS.columns,
} satisfies Settings

/** Settings of `logweir views`. */
export const VIEWS_SETTINGS = {
  ...CLIENT_SETTINGS,
  dataDir: {
    ...SERVE_SETTINGS.dataDir,
    meaning: 'as a flag without --url: the data directory of a stopped logweir; else where a service stores its token',
  },
  json: { type: onOff, variable: false, meaning: 'JSON, a view a line' },
} satisfies Settings

/** Settings of `logweir delete`. No variable can choose rows. */
export const DELETE_SETTINGS = {
  project: { type: text('PROJECT'), variable: false, meaning: 'the project whose rows are deleted' },
  source: { type: sourceName, variable: false, meaning: 'the only source whose rows are deleted; default: all' },
  start: { type: isoTime, variable: false, meaning: 'only rows from this time on' },
  end: { type: isoTime, variable: false, meaning: 'only rows before this time' },
  where: {
    type: text('CONDITION'),
    variable: false,
    meaning: 'only rows for which this is true, in SQL, such as "user_id = \'42\'"',
  },
  dryRun: { type: onOff, variable: false, meaning: 'count the rows, and delete none' },
  yes: { type: onOff, variable: false, meaning: 'delete the rows; without this flag the command only counts them' },
  wait: { type: onOff, variable: false, meaning: 'wait until the rows are erased from all files' },
  json: { type: onOff, variable: false, meaning: 'JSON on a terminal too' },
  ...CLIENT_SETTINGS,
} satisfies Settings

/** Settings of `logweir usage`. */
export const USAGE_SETTINGS = {
  project: {
    type: text('PROJECT'),
    variable: false,
    meaning: 'only this project; default: all that the token may see',
  },
  source: { type: text('SOURCE'), variable: false, meaning: 'only this source; default: all' },
  start: { type: text('TIME'), variable: false, meaning: 'only UTC days that end after this moment, ISO 8601' },
  end: { type: text('TIME'), variable: false, meaning: 'only UTC days that start before this moment, ISO 8601' },
  json: { type: onOff, variable: false, meaning: 'JSON, a row a line' },
  ...CLIENT_SETTINGS,
} satisfies Settings

/** Settings of `logweir tail`. */
export const TAIL_SETTINGS = {
  project: {
    type: text('PROJECT'),
    isAnnounced: true,
    meaning: 'the project whose rows are followed; default: that of the service',
  },
  source: { type: sourceName, isAnnounced: true, meaning: 'the source of these rows; default: edge_logs' },
  filter: { type: filterText, variable: false, meaning: 'only rows that meet all conditions of this list' },
  search: {
    type: text('TEXT'),
    variable: false,
    meaning: 'only rows whose message contains this text, ignoring case',
  },
  ...CLIENT_SETTINGS,
  format: {
    type: oneOf('FORMAT', 'text', 'ndjson'),
    default: 'text',
    variable: false,
    meaning: 'text: time and message; ndjson: whole rows',
  },
} satisfies Settings
