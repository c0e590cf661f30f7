import { usageError } from '../base/failures.js'
import type { Log, LogFormat } from '../base/log.js'
import { memoryBytes } from '../base/memory/memory.js'
import { DAY_US, MILLISECOND_US } from '../base/units.js'
import { type FieldNames, fieldNamesOf } from '../common/field-names.js'
import { ANY_NAME, MAX_OWN_SOURCES } from '../common/own-source-names.js'
import { HISTORY_SOURCE, isBuiltIn, type SourceName } from '../common/sources.js'
import { SUPABASE_SOURCES } from '../common/supabase-sources.js'
import { type ClickHouseConfig, checkTableNames, requireUrl, takeClickHouse } from './clickhouse-config.js'
import type { Environment } from './environment.js'
import { type FoundValue, ORIGINS, readSettings, type SettingsResult } from './read-settings.js'
import { CONFIG_SETTINGS, SERVE_SETTINGS } from './serve-settings.js'

/** The configuration of `logweir serve`. */
export interface ServeConfig {
  port: number
  host: string
  /** Undefined: nothing is written to disk. */
  dataDir: string | undefined
  /** The names of own sources, besides the nine: those of the setting, then those that the mode adds. */
  sources: readonly SourceName[]
  /** Whether records make own sources of other names. */
  acceptsAnySource: boolean
  /** The attribute of a resource that names the source of OTLP records without `logweir.source`. */
  otlpSource: 'logweir.source' | 'service.name'
  /** The source of records on standard input that name none. */
  source: SourceName | undefined
  /** The project of records and queries that name none. */
  project: string | undefined
  /** The fields of records on standard input that contain time and message. */
  fieldNames: FieldNames
  memoryLimitBytes: number
  /** Undefined: no limit. */
  maxDiskBytes: number | undefined
  /** The rows that are deleted beyond `maxDiskBytes`: the oldest rows, or rows of the largest project. */
  evict: 'oldest' | 'largest'
  /** Bytes of the files of all views. */
  viewBytes: number
  retentionUs: number
  /** The file with the times of projects and sources. */
  retentionFile: string | undefined
  /** The file of rules that mask secrets. */
  mask: string | undefined
  /** The file of the key of hashed values. */
  maskKeyFile: string | undefined
  tokensFile: string | undefined
  /** The text of the variable, not yet parsed. */
  accessTokens: string | undefined
  /** How long an idle connection is kept open. */
  keepAliveMs: number
  logFormat: LogFormat
  /** The directory of the user's own endpoints. */
  endpoints: string | undefined
  /** The directory of alert rules. */
  alerts: string | undefined
  /** The file of the receivers of alerts. */
  receivers: string | undefined
  /** Whether clients may send SQL to logs.all. */
  sql: boolean
  /** Whether the service takes the place of the analytics service of a self-hosted Supabase. */
  supabase: boolean
  /** The texts of the variables, not yet checked. Valid only with `supabase`. */
  publicAccessToken: string | undefined
  privateAccessToken: string | undefined
  /** Undefined: the embedded engine. */
  clickhouse: ClickHouseConfig | undefined
}

/** Reads the configuration of `logweir serve`. Throws `usage`. */
export function readServeConfig(args: readonly string[], environment: Environment, warn?: Log): ServeConfig {
  return serveConfigOf(readSettings(SERVE_SETTINGS, args, environment, { warn }))
}

/** Settings that are read only with `--supabase`. */
const SUPABASE_TOKENS = ['publicAccessToken', 'privateAccessToken'] as const

type ServeSettings = Pick<SettingsResult<typeof SERVE_SETTINGS>, 'values' | 'found'>

function serveConfigOf({ values, found }: ServeSettings): ServeConfig {
  const {
    config: _,
    memoryLimit,
    retentionDays,
    keepAlive,
    dataDir,
    inMemory,
    engine,
    supabase = false,
    publicAccessToken,
    privateAccessToken,
    sql = false,
    timeField,
    messageField,
    sources = [],
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
  checkSources(values)
  if (rest.receivers !== undefined && rest.alerts === undefined) {
    throw usageError('--receivers needs rules that notify the receivers: give their directory with --alerts.')
  }
  return {
    ...rest,
    sources: ownSourcesOf(values),
    acceptsAnySource: sources.includes(ANY_NAME),
    sql: sql || supabase,
    supabase,
    publicAccessToken,
    privateAccessToken,
    fieldNames,
    dataDir: overriddenSetting({ values, found }) === 'dataDir' ? undefined : dataDir,
    memoryLimitBytes: memoryLimit ?? Math.floor(memoryBytes() / 2),
    retentionUs: retentionDays * DAY_US,
    keepAliveMs: keepAlive / MILLISECOND_US,
    clickhouse: engine === 'clickhouse' ? requireUrl(clickhouse, '--engine clickhouse') : undefined,
  }
}

/** Returns the names of `--sources`, then those of the mode, which have no tables in ClickHouse. */
function ownSourcesOf({ sources = [], supabase, engine }: ServeSettings['values']): readonly SourceName[] {
  const named = sources.filter((name) => name !== ANY_NAME)
  if (supabase !== true || engine === 'clickhouse') return named
  return [...new Set([...named, ...SUPABASE_SOURCES])].slice(0, MAX_OWN_SOURCES)
}

/**
 * Throws `usage` if no own source has the name of `--source`, or if a name of `--sources` has no table of ClickHouse.
 */
function checkSources(values: ServeSettings['values']): void {
  const { source, sources = [], engine } = values
  if (engine === 'clickhouse') checkTableNames(sources)
  const accepts = (name: SourceName) =>
    name !== HISTORY_SOURCE && (sources.includes(ANY_NAME) || ownSourcesOf(values).includes(name))
  if (source === undefined || isBuiltIn(source) || accepts(source)) return
  throw usageError(`--source: ${source} is none of the nine sources, and --sources does not name it. Add it there.`)
}

/**
 * `--data-dir` and `--in-memory` exclude each other, and the origin of higher precedence wins. Returns the setting
 * without effect, or undefined if `--in-memory` is not set.
 */
function overriddenSetting({ values, found }: ServeSettings): 'dataDir' | 'inMemory' | undefined {
  if (!values.inMemory) return undefined
  const precedence = (name: 'dataDir' | 'inMemory') => -ORIGINS.indexOf(found.get(name)!.origin)
  return precedence('inMemory') > precedence('dataDir') ? 'dataDir' : 'inMemory'
}

/** A setting of `logweir serve` with value and origin, for `logweir config`. */
export interface EffectiveSetting {
  /** Undefined: not set, overridden, or read only in a mode that is off. */
  found: FoundValue | undefined
  name: keyof typeof SERVE_SETTINGS
}

/** The result of {@link readEffectiveSettings}. */
export interface EffectiveSettings {
  /** Whether the caller asked for JSON. */
  isJson: boolean
  /** Every setting of `logweir serve`, in the order of the help. */
  settings: readonly EffectiveSetting[]
}

/** Reads the configuration of `logweir config`. Throws `usage` if `logweir serve` would with the same arguments. */
export function readEffectiveSettings(
  args: readonly string[],
  environment: Environment,
  warn?: Log,
): EffectiveSettings {
  const { values, found } = readSettings(CONFIG_SETTINGS, args, environment, { warn })
  const { json, ...serveValues } = values
  serveConfigOf({ values: serveValues, found })
  const idle = new Set<string | undefined>([
    overriddenSetting({ values: serveValues, found }),
    ...(values.supabase ? [] : SUPABASE_TOKENS),
  ])
  const names = Object.keys(SERVE_SETTINGS) as EffectiveSetting['name'][]
  const settings = names.map((name) => ({ name, found: idle.has(name) ? undefined : found.get(name) }))
  return { isJson: json ?? false, settings }
}
