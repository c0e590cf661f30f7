import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import { ANY_NAME } from '../common/own-source-names.js'
import type { SourceName } from '../common/sources.js'
import { canHaveTable, SHARD_SUFFIX } from '../common/table-names.js'
import { EXPORT_SETTINGS, SCHEMA_SETTINGS } from './directory-settings.js'
import type { Environment } from './environment.js'
import { readSettings } from './read-settings.js'
import type { CLICKHOUSE_SETTINGS } from './serve-settings.js'
import type { ValuesOf } from './setting.js'

/** How to reach a ClickHouse server or cluster, and the database to use. */
export interface ClickHouseConfig {
  url: string
  /** The name of a cluster. Undefined for a single server. */
  cluster: string | undefined
  database: string
  user: string
  /** Empty if none is set. */
  password: string
}

/** ClickHouse settings without the guarantee that a URL is set. */
export type PartialClickHouseConfig = Omit<ClickHouseConfig, 'url'> & { url: string | undefined }

/** The configuration of `logweir schema clickhouse`. */
export interface SchemaConfig {
  /** Whether to create the tables instead of printing the statements. */
  apply: boolean
  /** The names of own sources, which have tables besides the nine. */
  sources: readonly SourceName[]
  /** Has a URL if `apply` is true. */
  clickhouse: PartialClickHouseConfig
}

/** The configuration of `logweir export`. */
export interface ExportConfig {
  /** The source of the rows. */
  dataDir: string
  /** Their destination. */
  clickhouse: ClickHouseConfig
}

/** Reads the configuration of `logweir schema clickhouse`. Throws `usage`. */
export function readSchemaConfig(args: readonly string[], environment: Environment, warn?: Log): SchemaConfig {
  const { apply = false, sources = [], ...others } = readSettings(SCHEMA_SETTINGS, args, environment, { warn }).values
  const { clickhouse } = takeClickHouse(others)
  checkTableNames(sources)
  return { apply, sources, clickhouse: apply ? requireUrl(clickhouse, '--apply') : clickhouse }
}

/** Reads the configuration of `logweir export`. Throws `usage`. */
export function readExportConfig(args: readonly string[], environment: Environment, warn?: Log): ExportConfig {
  const { to, dataDir, ...others } = readSettings(EXPORT_SETTINGS, args, environment, { warn }).values
  if (to === undefined) throw usageError('export to where? Name the destination: logweir export --to clickhouse')
  return { dataDir, clickhouse: requireUrl(takeClickHouse(others).clickhouse, '--to clickhouse') }
}

/**
 * Throws `usage` unless each of `--sources` can have a table in ClickHouse. Tables are made before the first record, so
 * `*`, any name, has none.
 */
export function checkTableNames(sources: readonly string[]): void {
  if (sources.includes(ANY_NAME)) {
    throw usageError(
      '--sources: with ClickHouse each source has a table, which logweir schema clickhouse --apply creates. ' +
        `Name the sources, such as --sources nginx,app, instead of "${ANY_NAME}".`,
    )
  }
  const taken = sources.find((name) => !canHaveTable(name))
  if (taken === undefined) return
  throw usageError(
    `--sources: ${taken} cannot be a table of ClickHouse: names that end with ${SHARD_SUFFIX} are those of the ` +
      'tables of shards. Choose another name.',
  )
}

/** Separates the ClickHouse settings from the `rest` of some values. */
export function takeClickHouse<Values extends ValuesOf<typeof CLICKHOUSE_SETTINGS>>(values: Values) {
  const { clickhouseUrl, clickhouseCluster, clickhouseDatabase, clickhouseUser, clickhousePassword, ...rest } = values
  const [url, cluster, database, user] = [clickhouseUrl, clickhouseCluster, clickhouseDatabase, clickhouseUser]
  return { clickhouse: { url, cluster, database, user, password: clickhousePassword ?? '' }, rest }
}

/** Returns the configuration with the URL. Throws `usage` if there is none. `neededBy` is the flag that needs it. */
export function requireUrl(clickhouse: PartialClickHouseConfig, neededBy: string): ClickHouseConfig {
  if (clickhouse.url !== undefined) return { ...clickhouse, url: clickhouse.url }
  throw usageError(`${neededBy} needs the server's address: --clickhouse-url http://127.0.0.1:8123`)
}
