/** The tables of settings, by command. `--help`, completion and the table in the README are derived from them. */

import type { LogFormat } from '../base/log.js'
import { parseIso8601 } from '../base/time/iso8601.js'
import { EXPECTED_NAMES, readFieldNames } from '../common/field-names.js'
import { faultOfOwnNames, isSourceName, readOwnNames } from '../common/own-source-names.js'
import {
  type BuiltInSource,
  findSource,
  HISTORY_SOURCE,
  SOURCE_NAMES,
  SOURCES,
  type SourceName,
} from '../common/sources.js'
import { type Settings, variableOf } from './setting.js'
import {
  bytes,
  durationUs,
  expiry,
  hostName,
  httpUrl,
  identifier,
  integer,
  isoTime,
  listOf,
  oneOf,
  onOff,
  projectName,
  rate,
  text,
  timeoutUs,
  tokenName,
  type ValueType,
} from './value-types.js'

const NINE = `a source: ${SOURCE_NAMES.join(', ')}, or the alias of one`

/** A source by name or alias, one of the nine or an own one: the service knows which own ones there are. */
const sourceName: ValueType<SourceName> = {
  placeholder: 'NAME',
  expects: `${NINE}, or a name of --sources`,
  words: SOURCE_NAMES,
  read: (value) => findSource(value)?.name ?? (isSourceName(value) ? value : undefined),
}

const ownSources: ValueType<readonly SourceName[]> = {
  placeholder: 'NAMES',
  expects: 'a comma-separated list of names, or * for any name',
  faultOf: (value) => faultOfOwnNames(value),
  read: (value) => readOwnNames(value),
}

/** The sources that have tables in ClickHouse beside the nine. */
const tableSources: ValueType<readonly SourceName[]> = {
  ...ownSources,
  faultOf: (value) => faultOfOwnNames(value, [HISTORY_SOURCE]),
  read: (value) => readOwnNames(value, [HISTORY_SOURCE]),
}

const anySource: ValueType<BuiltInSource | 'all'> = {
  placeholder: 'NAME',
  expects: `"all" or ${NINE}`,
  words: ['all', ...SOURCE_NAMES],
  read: (value) =>
    value === 'all' ? value : SOURCES.find(({ name, alias }) => name === value || alias === value)?.name,
}

const fieldNames: ValueType<string[]> = { placeholder: 'NAMES', expects: EXPECTED_NAMES, read: readFieldNames }

const moment: ValueType<number | 'now'> = {
  placeholder: 'TIME',
  expects: `"now" or ${isoTime.expects}`,
  read: (value) => (value === 'now' ? value : parseIso8601(value)),
}

/** The most days of `--retention-days`. */
export const MAX_DAYS = 36_500

/** The setting that names the settings file, which all commands share. */
const SETTINGS_FILE = {
  config: {
    type: text('FILE'),
    file: false,
    meaning: 'a settings file in TOML; each setting has the name of its flag',
  },
} satisfies Settings

/** How to reach an existing ClickHouse server or cluster. */
export const CLICKHOUSE_SETTINGS = {
  clickhouseUrl: {
    type: httpUrl("a ClickHouse server's HTTP interface", 'http://127.0.0.1:8123'),
    meaning: 'HTTP address of a ClickHouse server, or of any server of a cluster',
  },
  clickhouseCluster: { type: identifier('NAME'), meaning: "cluster, by its name in the servers' configuration" },
  clickhouseDatabase: { type: identifier('NAME'), default: 'logweir', meaning: 'database of the tables' },
  clickhouseUser: { type: text('NAME'), default: 'default', meaning: 'user of ClickHouse' },
  clickhousePassword: { type: text(''), flag: false, secret: true, meaning: 'password of that user; never a flag' },
} satisfies Settings

/** A token in a variable that the files of a self-hosted Supabase set. */
const SUPABASE_TOKEN = { type: text(''), flag: false, file: false, secret: true } as const

/** Settings of `logweir serve`. */
export const SERVE_SETTINGS = {
  ...SETTINGS_FILE,
  port: { type: integer('PORT', 0, 65_535), default: '4000', meaning: 'TCP port to listen on; 0: any free one' },
  host: { type: hostName, default: '127.0.0.1', meaning: 'address to listen on' },
  dataDir: { type: text('DIR'), default: './logweir-data', meaning: 'keep rows, rejects and the access token here' },
  inMemory: { type: onOff, meaning: 'write nothing to disk: rows are lost when the process ends' },
  sources: {
    type: ownSources,
    meaning: 'names of your own sources beside the nine, comma separated, such as nginx,app; *: any name',
  },
  otlpSource: {
    type: oneOf('ATTRIBUTE', 'logweir.source', 'service.name'),
    default: 'logweir.source',
    meaning: 'attribute of the resource that names the source of OTLP records without logweir.source',
  },
  source: { type: sourceName, meaning: 'source of records on standard input that name none' },
  project: { type: projectName, meaning: 'default project: of records and of queries that name none' },
  timeField: {
    type: fieldNames,
    meaning: 'fields of records on standard input that can hold the time, comma separated; default: timestamp',
  },
  messageField: {
    type: fieldNames,
    meaning: 'fields that can hold the message; the first one in a record is used; default: event_message,message',
  },
  memoryLimit: {
    type: bytes,
    meaning: 'memory limit in bytes, such as 512M or 2G; default: half of the available memory',
  },
  maxDiskBytes: { type: bytes, meaning: 'limit of the files of rows in bytes, such as 500G; default: no limit' },
  viewBytes: {
    type: bytes,
    default: '1G',
    meaning: 'limit of the files of all views in bytes, of which each view has an equal share',
  },
  retentionDays: { type: integer('DAYS', 1, MAX_DAYS), default: '90', meaning: 'rows older than this are deleted' },
  tokensFile: {
    type: text('FILE'),
    meaning: 'access tokens, hashed or one a line; default: tokens.json in the data directory',
  },
  accessTokens: { type: text(''), flag: false, secret: true, meaning: 'access tokens, comma separated; never a flag' },
  keepAlive: {
    type: timeoutUs,
    default: '95s',
    meaning: 'how long an idle connection is kept open; longer than proxies and shippers keep theirs',
  },
  logFormat: {
    type: oneOf<LogFormat>('FORMAT', 'text', 'json'),
    default: 'text',
    meaning: 'lines on stderr: text, on a terminal with times and in colour; json, an object a line',
  },
  endpoints: {
    type: text('DIR'),
    meaning: 'your own endpoints, .sql files and JavaScript modules, reloaded when they change',
  },
  alerts: {
    type: text('DIR'),
    meaning: 'alert rules, .sql files, whose queries run by themselves; reloaded when they change',
  },
  receivers: {
    type: text('FILE'),
    meaning: 'who is notified of alerts, in TOML: webhooks, Slack, Alertmanager; needs --alerts',
  },
  sql: {
    type: onOff,
    meaning: 'callers may send SQL as sql= of logs.all; it reads only rows of the project they name',
  },
  supabase: {
    type: onOff,
    meaning: 'stand in for the analytics service of a self-hosted Supabase; turns --sql on',
  },
  publicAccessToken: {
    ...SUPABASE_TOKEN,
    variableName: 'LOGFLARE_PUBLIC_ACCESS_TOKEN',
    meaning: 'with --supabase: access token that may only send records; never a flag',
  },
  privateAccessToken: {
    ...SUPABASE_TOKEN,
    variableName: 'LOGFLARE_PRIVATE_ACCESS_TOKEN',
    meaning: 'with --supabase: access token that may send records and query; never a flag',
  },
  engine: {
    type: oneOf('ENGINE', 'embedded', 'clickhouse'),
    default: 'embedded',
    meaning: 'where rows are stored and queried: embedded, in this process; clickhouse, on your own server',
  },
  ...CLICKHOUSE_SETTINGS,
} satisfies Settings

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
    type: listOf(oneOf('SCOPE', 'query', 'ingest')),
    default: 'query,ingest',
    variable: false,
    meaning: 'what it permits: query, to run queries; ingest, to send records',
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

/** Settings of `logweir config`: the settings of serve, which the command prints, and the format. */
export const CONFIG_SETTINGS = {
  ...SERVE_SETTINGS,
  json: { type: onOff, variable: false, meaning: 'as JSON, for programs' },
} satisfies Settings

/** Settings of `logweir health`: the address of the service on this machine, by the same names as for serve. */
export const HEALTH_SETTINGS = {
  ...SETTINGS_FILE,
  port: { ...SERVE_SETTINGS.port, meaning: 'TCP port on which the service listens' },
  host: { ...SERVE_SETTINGS.host, meaning: 'address on which it listens' },
} satisfies Settings

const SERVICE_URL = 'http://127.0.0.1:4000'

/** Settings of all clients: the address of a running service, and the token. */
const CLIENT_SETTINGS = {
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
const FORMAT_SETTINGS = {
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

/** Settings that a settings file may contain: all commands share a file. */
export const FILE_SETTINGS: Settings = { ...CLIENT_SETTINGS, ...SERVE_SETTINGS }

const MAX_ROWS = 1e12
const MAX_SEED = 2 ** 48
const MAX_PROJECTS = 1_000_000

/** Settings of `logweir generate`. */
export const GENERATE_SETTINGS = {
  rows: { type: integer('N', 1, MAX_ROWS), default: '1000', variable: false, meaning: 'records to write' },
  seed: {
    type: integer('N', 0, MAX_SEED),
    default: '1',
    variable: false,
    meaning: 'the same seed and --end write the same records',
  },
  source: { type: anySource, default: 'all', isAnnounced: true, meaning: 'one source, or all nine mixed' },
  span: { type: durationUs, default: '7d', variable: false, meaning: 'time from the first record to the last' },
  end: { type: moment, default: 'now', variable: false, meaning: 'time of the last record, ISO 8601' },
  slim: { type: onOff, variable: false, meaning: 'short records: little more than the fields that queries read' },
  optionalHeaders: { type: onOff, variable: false, meaning: 'requests with headers that others lack' },
  projects: {
    type: integer('N', 1, MAX_PROJECTS),
    default: '2000',
    variable: false,
    meaning: 'customers; the first has a tenth of the records',
  },
  badEvery: {
    type: integer('N', 0, MAX_ROWS),
    default: '0',
    variable: false,
    meaning: 'add an invalid line after every N records; 0: none',
  },
} satisfies Settings

/** Settings of `logweir demo`. No variables: those of another service of the user have no effect on the demo. */
export const DEMO_SETTINGS = {
  port: {
    ...SERVE_SETTINGS.port,
    variable: false,
    meaning: 'first TCP port to try; if it is in use, the next free one; 0: any free one',
  },
  rows: { ...GENERATE_SETTINGS.rows, default: '200000', meaning: 'records to generate' },
  any: { type: onOff, variable: false, meaning: 'sources of your own, nginx and app, instead of the nine' },
  once: { type: onOff, variable: false, meaning: 'stop after the example requests, instead of serving until Ctrl-C' },
} satisfies Settings

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
  SQL_SETTINGS,
  CHECK_SETTINGS,
  TAIL_SETTINGS,
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
