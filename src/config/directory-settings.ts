/** The settings of commands that work without a service: on files, a data directory or a ClickHouse server. */

import { HISTORY_SOURCE } from '../common/sources.js'
import { FORMAT_SETTINGS } from './client-settings.js'
import { CLICKHOUSE_SETTINGS, SERVE_SETTINGS, SETTINGS_FILE } from './serve-settings.js'
import type { Settings } from './setting.js'
import { tableSources } from './source-types.js'
import { durationUs, expiry, isoTime, listOf, oneOf, onOff, projectName, rate, text, tokenName } from './value-types.js'

/** Settings of `logweir schema clickhouse`. */
export const SCHEMA_SETTINGS = {
  ...SETTINGS_FILE,
  apply: { type: onOff, variable: false, meaning: 'create missing tables on the server instead of printing them' },
  sources: {
    type: tableSources,
    meaning: `names of your own sources, whose tables are made beside the nine; with --alerts also ${HISTORY_SOURCE}`,
  },
  ...CLICKHOUSE_SETTINGS,
} satisfies Settings

/** Settings of `logweir export`. */
export const EXPORT_SETTINGS = {
  ...SETTINGS_FILE,
  to: {
    type: oneOf('ENGINE', 'clickhouse'),
    variable: false,
    meaning: 'destination of the rows: clickhouse, the tables that --engine clickhouse uses',
  },
  dataDir: { ...SERVE_SETTINGS.dataDir, meaning: 'the data directory of a stopped logweir; nothing in it is changed' },
  ...CLICKHOUSE_SETTINGS,
} satisfies Settings

/** Settings of `logweir alerts check`. */
export const ALERTS_CHECK_SETTINGS = {
  ...SETTINGS_FILE,
  sources: SERVE_SETTINGS.sources,
  receivers: {
    type: text('FILE'),
    meaning: 'receivers of alerts, in TOML: check this file too, and that it has the receivers that rules name',
  },
  endpoints: { type: text('DIR'), meaning: 'your own endpoints, whose views the rules may read' },
} satisfies Settings

/** Settings of `logweir mask`. */
export const MASK_SETTINGS = {
  ...SETTINGS_FILE,
  test: { type: text('FILE'), variable: false, meaning: 'the file of rules to test, as --mask of serve has it' },
  sources: SERVE_SETTINGS.sources,
  source: { ...SERVE_SETTINGS.source, meaning: 'source of records that name none' },
  timeField: SERVE_SETTINGS.timeField,
  messageField: SERVE_SETTINGS.messageField,
  maskKeyFile: { ...SERVE_SETTINGS.maskKeyFile, meaning: 'key of hashed values; default: a new key for this run' },
} satisfies Settings

/** Settings of `logweir import`. */
export const IMPORT_SETTINGS = {
  ...SETTINGS_FILE,
  from: {
    type: oneOf('ORIGIN', 'logflare-postgres'),
    variable: false,
    meaning: 'origin of the rows: logflare-postgres, a Logflare whose backend is PostgreSQL',
  },
  dataDir: { ...SERVE_SETTINGS.dataDir, meaning: 'where the rows go: a new directory, or that of a stopped logweir' },
  sources: {
    ...SERVE_SETTINGS.sources,
    meaning: 'names of your own sources: those that Logflare has are imported too',
  },
  until: { type: isoTime, variable: false, meaning: 'import only rows before this time' },
  schema: { type: text('NAME'), default: '_analytics', variable: false, meaning: "schema of Logflare's tables" },
  retentionDays: { ...SERVE_SETTINGS.retentionDays, meaning: 'rows older than this are left out' },
  retentionFile: {
    ...SERVE_SETTINGS.retentionFile,
    meaning: 'how long rows of projects and sources are kept, in TOML; older rows are left out',
  },
  mask: { ...SERVE_SETTINGS.mask, meaning: 'rules that mask secrets, in TOML' },
  maskKeyFile: SERVE_SETTINGS.maskKeyFile,
  maxDiskBytes: SERVE_SETTINGS.maxDiskBytes,
  memoryLimit: {
    ...SERVE_SETTINGS.memoryLimit,
    meaning: 'memory limit in bytes, such as 512M; default: half of the available memory, at most 1G',
  },
} satisfies Settings

/** Settings of `logweir token revoke`: the location of the hashed tokens. */
export const TOKEN_PLACE_SETTINGS = {
  ...SETTINGS_FILE,
  dataDir: { ...SERVE_SETTINGS.dataDir, meaning: 'the data directory of the service' },
  tokensFile: { type: text('FILE'), meaning: 'the file of hashed tokens; default: tokens.json in the data directory' },
} satisfies Settings

/** The largest number of projects to which a token can be restricted. */
export const MAX_TOKEN_PROJECTS = 100

/** Settings of `logweir token create`. */
export const TOKEN_SETTINGS = {
  name: { type: tokenName, variable: false, meaning: 'name of the token, for people' },
  scope: {
    type: listOf(oneOf('SCOPE', 'query', 'ingest', 'delete')),
    default: 'query,ingest',
    variable: false,
    meaning: 'what it permits: query, to run queries; ingest, to send records; delete, to delete rows',
  },
  project: {
    type: listOf(projectName, MAX_TOKEN_PROJECTS),
    isAnnounced: true,
    meaning: 'the only projects that it gives access to; default: all',
  },
  expires: {
    type: expiry,
    variable: false,
    meaning: 'when it expires, such as 30d or an ISO 8601 time; default: never',
  },
  rate: { type: rate, variable: false, meaning: 'rate limit of its requests, such as 100/s or 600/m; default: none' },
  ...TOKEN_PLACE_SETTINGS,
} satisfies Settings

/** Settings of `logweir token list`. */
export const TOKEN_LIST_SETTINGS = {
  json: { type: onOff, variable: false, meaning: 'JSON, one token a line' },
  ...TOKEN_PLACE_SETTINGS,
} satisfies Settings

/** Settings of `logweir views drop`. */
export const VIEWS_DROP_SETTINGS = {
  yes: { type: onOff, variable: false, meaning: 'delete the groups; without this flag the command refuses' },
  ...SETTINGS_FILE,
  dataDir: { ...SERVE_SETTINGS.dataDir, meaning: 'the data directory of a stopped logweir' },
} satisfies Settings

/** Settings of `logweir sql`. */
export const SQL_SETTINGS = {
  project: { type: text('PROJECT'), isAnnounced: true, meaning: 'the only project whose rows are read; default: all' },
  sqlFile: { type: text('FILE'), variable: false, meaning: 'a file with the query, instead of the text' },
  ...FORMAT_SETTINGS,
} satisfies Settings

/** Settings of `logweir lines`. */
export const LINES_SETTINGS = {
  format: {
    type: oneOf('FORMAT', 'table', 'json', 'ndjson', 'csv', 'arrow'),
    variable: false,
    meaning: 'table, json, ndjson, csv or arrow; default: table on a terminal or with --columns, else ndjson',
  },
  columns: FORMAT_SETTINGS.columns,
  wide: FORMAT_SETTINGS.wide,
  timeField: {
    type: text('NAME'),
    variable: false,
    meaning:
      'the field that is the timestamp; default: the first of timestamp, @timestamp, time, ts, _time and datetime ' +
      'in the first line that has one',
  },
  sqlFile: { type: text('FILE'), variable: false, meaning: 'a file with the query, instead of the text' },
  follow: {
    type: onOff,
    variable: false,
    meaning: 'print each bucket of time once, when it is over, and changes of other groups every second',
  },
  late: {
    type: durationUs,
    default: '5s',
    variable: false,
    meaning: 'with --follow: how much later than its time a line may come',
  },
} satisfies Settings

/** Settings of `logweir check`. */
export const CHECK_SETTINGS = {
  repair: { type: onOff, variable: false, meaning: 'set damaged parts aside, so that a start finds only intact ones' },
  format: {
    type: oneOf('FORMAT', 'text', 'json'),
    default: 'text',
    variable: false,
    meaning: 'text: for people; json: an object a line, for programs',
  },
} satisfies Settings
