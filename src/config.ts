import { totalmem } from 'node:os'
import { parseIso8601 } from './base/iso8601.js'
import { bytes, httpUrl, identifier, type Kind, oneOf, onOff, spanUs, text, whole } from './base/kinds.js'
import { describeSettings, readSettings, type Settings, usageError, type ValuesOf } from './base/settings.js'
import { DAY_US } from './base/units.js'
import { findSource, SOURCE_NAMES, type SourceName } from './sources.js'

/** The table of settings: all that can be set, each once. `--help` and the README's table say the same. */

const sourceName: Kind<SourceName> = {
  placeholder: 'NAME',
  expects: `a source: ${SOURCE_NAMES.join(', ')}, or the alias of one`,
  read: (value) => findSource(value)?.name,
}

const anySource: Kind<SourceName | 'all'> = {
  ...sourceName,
  expects: `"all" or ${sourceName.expects}`,
  read: (value) => (value === 'all' ? value : sourceName.read(value)),
}

const moment: Kind<number | 'now'> = {
  placeholder: 'TIME',
  expects: '"now" or an ISO 8601 time, as 2026-11-20T10:00:00Z',
  read: (value) => (value === 'now' ? value : parseIso8601(value)),
}

const MOST_DAYS = 36_500

/** Where an existing ClickHouse server or cluster is. */
const CLICKHOUSE_SETTINGS = {
  clickhouseUrl: { kind: httpUrl, meaning: 'HTTP address of a ClickHouse server, of a cluster any one of it' },
  clickhouseCluster: { kind: identifier('NAME'), meaning: "cluster, by its name in the servers' configuration" },
  clickhouseDatabase: { kind: identifier('NAME'), default: 'logweir', meaning: 'database of the tables' },
  clickhouseUser: { kind: text('NAME'), default: 'default', meaning: 'user of ClickHouse' },
  clickhousePassword: { kind: text(''), flag: false, meaning: 'its password; never a flag' },
} satisfies Settings

export const SERVE_SETTINGS = {
  port: { kind: whole('PORT', 0, 65_535), default: '4000', meaning: 'TCP port to listen on; 0: any free one' },
  host: { kind: text('ADDRESS'), default: '127.0.0.1', meaning: 'address to listen on' },
  dataDir: { kind: text('DIR'), default: './logweir-data', meaning: 'keep rows, rejects and the access token here' },
  inMemory: { kind: onOff, meaning: 'write nothing to disk: rows end with the process' },
  source: { kind: sourceName, meaning: 'source of records on standard input that name none' },
  memoryLimit: {
    kind: bytes,
    meaning: 'bytes of memory to live in, as 512M or 2G; default: half of the memory there is',
  },
  maxDiskBytes: { kind: bytes, meaning: 'bytes that files of rows may take, as 500G; default: no bound' },
  retentionDays: { kind: whole('DAYS', 1, MOST_DAYS), default: '90', meaning: 'rows older than this go' },
  tokensFile: { kind: text('FILE'), meaning: 'access tokens, one a line; # starts a comment' },
  accessTokens: { kind: text(''), flag: false, meaning: 'access tokens, comma separated; never a flag' },
  engine: {
    kind: oneOf('ENGINE', 'embedded', 'clickhouse'),
    default: 'embedded',
    meaning: 'where rows are kept and asked: embedded, in this process; clickhouse, on a server of yours',
  },
  ...CLICKHOUSE_SETTINGS,
} satisfies Settings

export const SCHEMA_SETTINGS = {
  apply: { kind: onOff, variable: false, meaning: 'create what is missing on the server instead of printing it' },
  ...CLICKHOUSE_SETTINGS,
} satisfies Settings

export const EXPORT_SETTINGS = {
  to: {
    kind: oneOf('ENGINE', 'clickhouse'),
    variable: false,
    meaning: 'where the rows go: clickhouse, to the tables that --engine clickhouse works on',
  },
  dataDir: { ...SERVE_SETTINGS.dataDir, meaning: 'the data directory of a stopped logweir; nothing in it is changed' },
  ...CLICKHOUSE_SETTINGS,
} satisfies Settings

const MOST_ROWS = 1e12
const MOST_SEED = 2 ** 48
const MOST_PROJECTS = 1_000_000

export const GENERATE_SETTINGS = {
  rows: { kind: whole('N', 1, MOST_ROWS), default: '1000', variable: false, meaning: 'records to write' },
  seed: {
    kind: whole('N', 0, MOST_SEED),
    default: '1',
    variable: false,
    meaning: 'equal seed, equal records, where --end is equal too',
  },
  source: { kind: anySource, default: 'all', variable: false, meaning: 'one source, or all nine mixed' },
  span: { kind: spanUs, default: '7d', variable: false, meaning: 'time from the first record to the last' },
  end: { kind: moment, default: 'now', variable: false, meaning: 'time of the last record, ISO 8601' },
  slim: { kind: onOff, variable: false, meaning: 'short records: little more than the queries read' },
  projects: {
    kind: whole('N', 1, MOST_PROJECTS),
    default: '2000',
    variable: false,
    meaning: 'customers; the first has a tenth of the records',
  },
  badEvery: {
    kind: whole('N', 0, MOST_ROWS),
    default: '0',
    variable: false,
    meaning: 'add a line that cannot be taken after every N records; 0: none',
  },
} satisfies Settings

type Environment = Readonly<Record<string, string | undefined>>

export type GenerateConfig = ValuesOf<typeof GENERATE_SETTINGS>

export interface ServeConfig {
  port: number
  host: string
  /** Undefined: nothing is written to disk. */
  dataDir: string | undefined
  source: SourceName | undefined
  memoryLimitBytes: number
  /** Undefined: no bound. */
  maxDiskBytes: number | undefined
  retentionUs: number
  tokensFile: string | undefined
  accessTokens: string | undefined
  /** Undefined: the embedded engine. */
  clickhouse: ClickHouseConfig | undefined
}

export interface ClickHouseConfig {
  url: string
  /** Undefined: one server. */
  cluster: string | undefined
  database: string
  user: string
  password: string
}

export interface SchemaConfig {
  apply: boolean
  /** Without a server there is only the layout. */
  clickhouse: Omit<ClickHouseConfig, 'url'> & { url: string | undefined }
}

export interface ExportConfig {
  dataDir: string
  clickhouse: ClickHouseConfig
}

/** The configuration of `logweir serve`. Throws `usage`. */
export function readServeConfig(args: readonly string[], environment: Environment): ServeConfig {
  const { values, origins } = readSettings(SERVE_SETTINGS, args, environment)
  const { memoryLimit, retentionDays, dataDir, inMemory, engine, ...others } = values
  const { clickhouse, rest } = takeClickHouse(others)
  if (engine === 'clickhouse' && inMemory) {
    throw usageError(
      '--engine clickhouse keeps what the server has not confirmed in --data-dir. Leave out --in-memory.',
    )
  }
  if (inMemory && origins.get('dataDir') === origins.get('inMemory')) {
    throw usageError('--data-dir and --in-memory exclude each other. Give one of the two.')
  }
  const onDisk = !inMemory || origins.get('dataDir') === 'flag'
  return {
    ...rest,
    dataDir: onDisk ? dataDir : undefined,
    memoryLimitBytes: memoryLimit ?? Math.floor(totalmem() / 2),
    retentionUs: retentionDays * DAY_US,
    clickhouse: engine === 'clickhouse' ? withUrl(clickhouse, '--engine clickhouse') : undefined,
  }
}

/** The configuration of `logweir schema clickhouse`. Throws `usage`. */
export function readSchemaConfig(args: readonly string[], environment: Environment): SchemaConfig {
  const [engine, ...flags] = args
  if (engine !== 'clickhouse') throw usageError('which schema? There is one: logweir schema clickhouse')
  const { apply, ...others } = readSettings(SCHEMA_SETTINGS, flags, environment).values
  const { clickhouse } = takeClickHouse(others)
  return { apply: apply ?? false, clickhouse: apply ? withUrl(clickhouse, '--apply') : clickhouse }
}

/** The configuration of `logweir export`. Throws `usage`. */
export function readExportConfig(args: readonly string[], environment: Environment): ExportConfig {
  const { to, dataDir, ...others } = readSettings(EXPORT_SETTINGS, args, environment).values
  if (to === undefined) throw usageError('export to where? There is one place: logweir export --to clickhouse')
  return { dataDir, clickhouse: withUrl(takeClickHouse(others).clickhouse, '--to clickhouse') }
}

function takeClickHouse<Others extends ValuesOf<typeof CLICKHOUSE_SETTINGS>>(values: Others) {
  const { clickhouseUrl, clickhouseCluster, clickhouseDatabase, clickhouseUser, clickhousePassword, ...rest } = values
  const [url, cluster, database, user] = [clickhouseUrl, clickhouseCluster, clickhouseDatabase, clickhouseUser]
  return { clickhouse: { url, cluster, database, user, password: clickhousePassword ?? '' }, rest }
}

function withUrl(clickhouse: SchemaConfig['clickhouse'], wanting: string): ClickHouseConfig {
  if (clickhouse.url !== undefined) return { ...clickhouse, url: clickhouse.url }
  throw usageError(`${wanting} needs the server's address: --clickhouse-url http://127.0.0.1:8123`)
}

/** The configuration of `logweir generate`. Throws `usage`. */
export function readGenerateConfig(args: readonly string[]): GenerateConfig {
  return readSettings(GENERATE_SETTINGS, args, {}).values
}

/** The text of `logweir --help`. */
export function helpText(version: string): string {
  return `logweir ${version}: a hosted database's logs, streamed in as NDJSON, kept as Arrow columns, asked stored questions over HTTP.

Usage
  logweir serve [flags]     serve HTTP, and read NDJSON from standard input where it is a pipe, a socket or a file
  logweir generate [flags]  write realistic log records as NDJSON
  logweir schema clickhouse [flags]
                            print the tables that --engine clickhouse needs, or create them
  logweir export --to clickhouse [flags]
                            bring the rows of a data directory to such tables; what is there is not sent again
  logweir --version
  logweir --help

Flags of serve, the variables that mirror them (a flag wins), and defaults
${describeSettings(SERVE_SETTINGS).join('\n')}

Flags of generate, and defaults
${describeSettings(GENERATE_SETTINGS).join('\n')}

Flags of schema clickhouse, variables and defaults
${describeSettings(SCHEMA_SETTINGS).join('\n')}

Flags of export, variables and defaults
${describeSettings(EXPORT_SETTINGS).join('\n')}
`
}
