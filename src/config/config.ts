/** What the commands work by: settings as they were found, each made what it stands for. */

import { isIPv6 } from 'node:net'
import { usageError } from '../base/failures.js'
import type { Log, LogFormat } from '../base/log.js'
import { memoryBytes } from '../base/memory.js'
import { DAY_US, MILLISECOND_US } from '../base/units.js'
import { type FieldNames, fieldNamesOf } from '../field-names.js'
import type { SourceName } from '../sources.js'
import {
  type Environment,
  type Found,
  ORIGINS,
  type Read,
  readSettings,
  type Settings,
  type ValuesOf,
} from './setting.js'
import {
  type CLICKHOUSE_SETTINGS,
  CONFIG_SETTINGS,
  EXPORT_SETTINGS,
  FILE_SETTINGS,
  GENERATE_SETTINGS,
  HEALTH_SETTINGS,
  SCHEMA_SETTINGS,
  SERVE_SETTINGS,
  type SETTINGS_FILE,
  TOKEN_LIST_SETTINGS,
  TOKEN_PLACE_SETTINGS,
  TOKEN_SETTINGS,
} from './settings.js'
import { readSettingsFile } from './settings-file.js'
import type { Expiry, Rate } from './value-types.js'

interface TokenPlace {
  dataDir: string
  tokensFile: string | undefined
}

export interface TokenCreateConfig extends TokenPlace {
  name: string | undefined
  scope: readonly ('query' | 'ingest')[]
  project: readonly string[] | undefined
  expires: Expiry | undefined
  rate: Rate | undefined
}

export type TokenConfig =
  | ({ action: 'create' } & TokenCreateConfig)
  | ({ action: 'list'; json: boolean } & TokenPlace)
  | ({ action: 'revoke'; idOrName: string } & TokenPlace)

export type GenerateConfig = ValuesOf<typeof GENERATE_SETTINGS>

export interface ServeConfig {
  port: number
  host: string
  /** Undefined: nothing is written to disk. */
  dataDir: string | undefined
  source: SourceName | undefined
  project: string | undefined
  /** Of records on standard input. */
  fieldNames: FieldNames
  memoryLimitBytes: number
  /** Undefined: no bound. */
  maxDiskBytes: number | undefined
  retentionUs: number
  tokensFile: string | undefined
  accessTokens: string | undefined
  /** How long an idle connection is kept. */
  keepAliveMs: number
  logFormat: LogFormat
  /** The directory of own endpoints. */
  endpoints: string | undefined
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

const unheard: Log = () => {}

/** Settings of the command line, the environment, and the file that one of the two names; `warn` hears what is wrong with it. */
export function readSettingsWithFile<S extends Settings & typeof SETTINGS_FILE>(
  settings: S,
  args: readonly string[],
  environment: Environment,
  { warn = unheard, allowsExtras = false }: { warn?: Log; allowsExtras?: boolean } = {},
): Read<S> {
  function readFile(path: string) {
    const file = readSettingsFile(path, FILE_SETTINGS)
    if (file.warning !== undefined) warn(file.warning)
    return file
  }
  return readSettings(settings, args, environment, { allowsExtras, readFile })
}

/** The configuration of `logweir serve`. Throws `usage`. */
export function readServeConfig(args: readonly string[], environment: Environment, warn?: Log): ServeConfig {
  return serveConfigOf(readSettingsWithFile(SERVE_SETTINGS, args, environment, { warn }))
}

type ReadServe = Pick<Read<typeof SERVE_SETTINGS>, 'values' | 'found'>

function serveConfigOf({ values, found }: ReadServe): ServeConfig {
  const {
    config: _,
    memoryLimit,
    retentionDays,
    keepAlive,
    dataDir,
    inMemory,
    engine,
    timeField,
    messageField,
    ...others
  } = values
  const { clickhouse, rest } = takeClickHouse(others)
  if (engine === 'clickhouse' && inMemory) {
    throw usageError(
      '--engine clickhouse stores rows that the server has not confirmed in --data-dir. Leave out --in-memory.',
    )
  }
  if (inMemory && found.get('dataDir')!.origin === found.get('inMemory')!.origin) {
    throw usageError('--data-dir and --in-memory exclude each other. Give one of the two.')
  }
  const fieldNames = fieldNamesOf(timeField, messageField)
  if (fieldNames === undefined) {
    throw usageError('--time-field and --message-field name the same field. Leave it out of one of the two.')
  }
  return {
    ...rest,
    fieldNames,
    dataDir: overriddenOf({ values, found }) === 'dataDir' ? undefined : dataDir,
    memoryLimitBytes: memoryLimit ?? Math.floor(memoryBytes() / 2),
    retentionUs: retentionDays * DAY_US,
    keepAliveMs: keepAlive / MILLISECOND_US,
    clickhouse: engine === 'clickhouse' ? withUrl(clickhouse, '--engine clickhouse') : undefined,
  }
}

/** Which of the two places of rows has no effect since the other was said more strongly; undefined where only one was said. */
function overriddenOf({ values, found }: ReadServe) {
  if (!values.inMemory) return undefined
  const strength = (name: 'dataDir' | 'inMemory') => -ORIGINS.indexOf(found.get(name)!.origin)
  return strength('inMemory') > strength('dataDir') ? 'dataDir' : 'inMemory'
}

/** A setting of serve as `logweir config` tells it. */
export interface EffectiveSetting {
  /** Undefined: not set, or without effect. */
  found: Found | undefined
  name: keyof typeof SERVE_SETTINGS
}

/** Each setting of serve with what it is and where that was found, and whether JSON is wanted. Throws `usage` where serve would. */
export function readEffectiveSettings(args: readonly string[], environment: Environment, warn?: Log) {
  const { values, found } = readSettingsWithFile(CONFIG_SETTINGS, args, environment, { warn })
  const { json, ...own } = values
  serveConfigOf({ values: own, found })
  const overridden = overriddenOf({ values: own, found })
  const names = Object.keys(SERVE_SETTINGS) as EffectiveSetting['name'][]
  const settings: EffectiveSetting[] = names.map((name) => ({
    name,
    found: name === overridden ? undefined : found.get(name),
  }))
  return { isJson: json ?? false, settings }
}

/** The configuration of `logweir schema clickhouse`. Throws `usage`. */
export function readSchemaConfig(args: readonly string[], environment: Environment, warn?: Log): SchemaConfig {
  const { apply, ...others } = readSettingsWithFile(SCHEMA_SETTINGS, args, environment, { warn }).values
  const { clickhouse } = takeClickHouse(others)
  return { apply: apply ?? false, clickhouse: apply ? withUrl(clickhouse, '--apply') : clickhouse }
}

/** The configuration of `logweir export`. Throws `usage`. */
export function readExportConfig(args: readonly string[], environment: Environment, warn?: Log): ExportConfig {
  const { to, dataDir, ...others } = readSettingsWithFile(EXPORT_SETTINGS, args, environment, { warn }).values
  if (to === undefined) throw usageError('export to where? Name the destination: logweir export --to clickhouse')
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

/** The configuration of `logweir token create`. Throws `usage`. */
export function readTokenCreateConfig(args: readonly string[], environment: Environment, warn?: Log): TokenConfig {
  const { config: _, ...values } = readSettingsWithFile(TOKEN_SETTINGS, args, environment, { warn }).values
  return { action: 'create', ...values }
}

/** The configuration of `logweir token list`. Throws `usage`. */
export function readTokenListConfig(args: readonly string[], environment: Environment, warn?: Log): TokenConfig {
  const { config: _, json, ...place } = readSettingsWithFile(TOKEN_LIST_SETTINGS, args, environment, { warn }).values
  return { action: 'list', json: json ?? false, ...place }
}

/** The configuration of `logweir token revoke`. Throws `usage`. */
export function readTokenRevokeConfig(args: readonly string[], environment: Environment, warn?: Log): TokenConfig {
  const [idOrName, ...flags] = args
  if (idOrName === undefined || idOrName.startsWith('-')) {
    throw usageError('revoke which token? Give its id or name: logweir token revoke NAME')
  }
  const { config: _, ...place } = readSettingsWithFile(TOKEN_PLACE_SETTINGS, flags, environment, { warn }).values
  return { action: 'revoke', idOrName, ...place }
}

/** The configuration of `logweir health`: the root of the service's address. Throws `usage`. */
export function readHealthConfig(args: readonly string[], environment: Environment, warn?: Log): { url: string } {
  const { port, host } = readSettingsWithFile(HEALTH_SETTINGS, args, environment, { warn }).values
  if (port === 0) throw usageError('health of which service? Port 0 is any free one: name the port with --port.')
  const reached = REACHED_AT[host] ?? host
  return { url: `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}` }
}

/** Where a service that listens on every address is reached from its own machine. */
const REACHED_AT: Record<string, string> = { '0.0.0.0': '127.0.0.1', '0': '127.0.0.1', '::': '::1' }

/** The configuration of `logweir generate`. Throws `usage`. */
export function readGenerateConfig(args: readonly string[]): GenerateConfig {
  return readSettings(GENERATE_SETTINGS, args, {}).values
}
