import { explainFileError } from '../base/files/file-errors.js'
import type { Log } from '../base/log.js'
import { ROWS_SHARE } from '../base/memory/memory.js'
import type { Metrics } from '../base/metrics.js'
import { type Clock, systemClock } from '../base/time/clock.js'
import { acceptSources, HISTORY_SOURCE, registerSource } from '../common/sources.js'
import type { Environment } from '../config/environment.js'
import type { ServeConfig } from '../config/serve-config.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { ENDPOINTS, endpointsOf } from '../endpoints/index.js'
import { makeDataDirectory } from '../engine/disk/directory/data-directory.js'
import { type DataDirectory, openDataDirectory } from '../engine/disk/directory/open.js'
import type { LockOptions } from '../engine/disk/lock/options.js'
import type { Engine } from '../engine/engine.js'
import { createArrowEngine, registerStoredSources } from '../engine/store/engine.js'
import { createSealingThread } from '../engine/store/sealing/thread.js'
import type { WatchedMasking } from '../masking/watched-masking.js'
import { RETENTION_FILE } from '../retention/file-names.js'
import type { WatchedRetention } from '../retention/watched-retention.js'
import { NO_VIEWS, type ReadableViews } from '../sql/compile/readable-views.js'
import { loadTokens, type Tokens } from '../tokens/load-tokens.js'
import type { UserEndpoints } from '../user-endpoints/open.js'
import { isView } from '../user-endpoints/view.js'
import { VIEWS } from '../views/catalog/file-names.js'
import type { Views } from '../views/catalog/open-views.js'
import type { Alerts } from './alerts.js'
import { tryPlan } from './try-plan.js'

/**
 * Options of the data directory's lock: `signal` ends the wait, `onLost` is called if another process takes it. The
 * environment has the secrets of receivers.
 */
export interface StartOptions extends Partial<Pick<LockOptions, 'signal' | 'onLost'>> {
  environment?: Environment
}

/** The dependencies of every component. */
export interface Shared {
  clock: Clock
  metrics: Metrics
  log: Log
}

/** The parts that a service has opened before it takes requests. */
export interface OpenedComponents {
  /** Undefined if there is no data directory. */
  disk: DataDirectory | undefined
  /** Returns all endpoints of the service, given those of users. */
  endpointsWith(ofUsers: readonly Endpoint[]): readonly Endpoint[]
  userEndpoints: UserEndpoints | undefined
  /** Undefined: all rows are kept for the same time. */
  retention: WatchedRetention | undefined
  /** Undefined: nothing is masked. */
  masking: WatchedMasking | undefined
  tokens: Tokens
  alerts: Alerts | undefined
  engine: Engine
  /** The views that SQL can read, at any time. */
  readableViews: ReadableViews
  /** Undefined over ClickHouse, and without the setting `--endpoints` if the data directory has no views. */
  views: ServiceViews | undefined
}

/**
 * Opens the data directory, and everything that is read from disks. Nothing is recovered yet. Throws `usage`, `failed`,
 * and the errors of {@link prepareDataDirectory}. The data directory is released then.
 */
export async function openComponents(
  config: ServeConfig,
  shared: Shared,
  { environment = process.env, ...lock }: StartOptions,
): Promise<OpenedComponents> {
  const { log } = shared
  acceptSources(config.sources, config.acceptsAnySource)
  if (config.alerts !== undefined) registerSource(HISTORY_SOURCE)
  // Endpoints are made before the views are known. SQL asks for the views when a plan is made.
  let readable: ReadableViews = NO_VIEWS
  const readableViews: ReadableViews = { find: (name) => readable.find(name), names: () => readable.names() }
  const endpointsWith = await createEndpoints(config, readableViews)
  const opened = await prepareDataDirectory(config.dataDir, { log, ...lock })
  // Own endpoints may read sources that have rows and are no longer configured.
  const disk = await orRelease(opened, () => findStoredSources(config, opened, shared))
  const retention = await orRelease(disk, () => openRetention(config, disk, shared))
  const masking = await orRelease(disk, () => openMasking(config, shared))
  const views = await orRelease(disk, () => openViews(config, disk, retention, shared))
  const userEndpoints = await orRelease(disk, () => loadUserEndpoints(config.endpoints, views?.readable, log))
  readable = userEndpoints?.views ?? views?.readable ?? NO_VIEWS
  if (userEndpoints !== undefined) views?.setEndpoints(userEndpoints.endpoints())
  const tokens = await orRelease(disk, () => loadTokens(config, shared))
  const alerts = await orRelease(disk, () => loadAlerts(config, environment, disk, { ...shared, views: readableViews }))
  const { engine, start } = await orRelease(disk, () => createEngine(config, disk, shared, { views, retention }))
  return {
    disk,
    endpointsWith,
    userEndpoints,
    retention,
    masking,
    tokens,
    alerts,
    engine,
    readableViews,
    views: views && { ...views, start },
  }
}

/** Runs a step of the start. Releases the data directory if the step fails. */
async function orRelease<T>(disk: DataDirectory | undefined, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    await disk?.release()
    throw error
  }
}

/**
 * Makes and locks the data directory. Undefined if there is none. A full disk is no reason to fail unless the
 * directory is new. Throws the errors of {@link makeDataDirectory} and {@link openDataDirectory}.
 */
async function prepareDataDirectory(
  path: string | undefined,
  lock: Partial<LockOptions>,
): Promise<DataDirectory | undefined> {
  if (path === undefined) return undefined
  await makeDataDirectory(path)
  return openDataDirectory(path, lock).catch((error) => {
    throw explainFileError('data_dir_unusable', `The data directory ${path} cannot be used`, path, error)
  })
}

/**
 * Makes the sources known that are no longer configured, and have rows on the disk or in ClickHouse. Returns the data
 * directory. Its release also ends the search in ClickHouse.
 */
async function findStoredSources(
  { clickhouse }: ServeConfig,
  disk: DataDirectory | undefined,
  shared: Shared,
): Promise<DataDirectory | undefined> {
  if (disk === undefined) return undefined
  if (clickhouse === undefined) {
    await registerStoredSources(disk.files)
    return disk
  }
  const { watchSourceTables } = await import('./source-tables.js')
  const stopWatching = await watchSourceTables(clickhouse, shared)
  return { ...disk, release: () => stopWatching().then(disk.release) }
}

/** Reads the file of `--retention-file`, and the times that the data directory has. Throws the errors of both. */
async function openRetention(
  { retentionFile: path, retentionUs: mostUs }: ServeConfig,
  disk: DataDirectory | undefined,
  shared: Shared,
): Promise<WatchedRetention | undefined> {
  const hasTimes = disk !== undefined && (await disk.files.list('')).includes(RETENTION_FILE)
  if (path === undefined && !hasTimes) return undefined
  // Loaded only if there may be times by project: the parts take time of the start, and memory.
  const { watchRetention } = await import('../retention/watched-retention.js')
  return watchRetention({ ...shared, path, mostUs, files: disk?.files })
}

/** Reads the rules of `--mask`. Undefined without the setting. Throws the errors of `watchMasking`. */
async function openMasking({ mask: path, maskKeyFile: keyFile, dataDir }: ServeConfig, shared: Shared) {
  if (path === undefined) return undefined
  // Loaded only if there are rules.
  const { watchMasking } = await import('../masking/watched-masking.js')
  return watchMasking({ path, keyFile, dataDir }, shared)
}

/** The views of a service with an engine in this process. */
export interface ServiceViews extends Pick<Views, 'list' | 'bytes' | 'hide' | 'regroup' | 'forget'> {
  /** Sets the views that are among the endpoints of users. */
  setEndpoints(ofUsers: readonly Endpoint[]): void
  /** To be called when all rows are recovered. Returns a function that ends the work, before the engine closes. */
  start(): Promise<() => Promise<void>>
}

/** The part of the memory for rows that views may take without a data directory. */
export const VIEWS_SHARE = 1 / 4

/**
 * Opens the views of the data directory. Without `--endpoints` each of its views is one without a file: it gets no new
 * rows, but the list of views must say which of its segments are dropped.
 */
async function openViews(
  config: ServeConfig,
  disk: DataDirectory | undefined,
  rowLimits: WatchedRetention | undefined,
  { clock, log }: Shared,
) {
  if (config.clickhouse !== undefined) return undefined
  const hasViews = disk !== undefined && (await disk.files.list(VIEWS)).length > 0
  if (config.endpoints === undefined && !hasViews) return undefined
  // Loaded only if there may be views: the compiler takes time of the start, and memory.
  const { openViews: open } = await import('../views/catalog/open-views.js')
  const { viewBytes, memoryLimitBytes } = config
  const inMemoryBytes = Math.min(viewBytes, memoryLimitBytes * ROWS_SHARE * VIEWS_SHARE)
  const views = await open({
    files: disk?.files,
    clock,
    log,
    viewBytes: disk === undefined ? inMemoryBytes : viewBytes,
    rowLimits,
  })
  const setEndpoints = (ofUsers: readonly Endpoint[]) =>
    views.setCurrent(ofUsers.filter(isView).map(({ view, query }) => ({ definition: view, text: query })))
  return { ...views, setEndpoints }
}

/**
 * Creates the engine that stores the rows: embedded in this process, or on a ClickHouse server. Also returns the
 * function that starts the views over the engine.
 */
async function createEngine(
  config: ServeConfig,
  disk: DataDirectory | undefined,
  shared: Shared,
  { views, retention }: { views: Awaited<ReturnType<typeof openViews>>; retention: WatchedRetention | undefined },
): Promise<{ engine: Engine; start: ServiceViews['start'] }> {
  const { clickhouse, memoryLimitBytes, maxDiskBytes: diskLimitBytes, evict, retentionUs } = config
  if (clickhouse === undefined) {
    const engine = createArrowEngine({
      ...shared,
      ...(views && { readView: views.readView, keeper: views.keeper }),
      disk,
      rowsLimitBytes: memoryLimitBytes * ROWS_SHARE,
      diskLimitBytes,
      evictsLargest: evict === 'largest',
      retentionUs,
      rowLimits: retention,
      sealer: createSealingThread(shared.log),
    })
    return { engine, start: async () => (await views?.start(engine))?.stop ?? noWork }
  }
  // Loaded only if a server is configured, because the client is large.
  const { connectServer } = await import('../engine/clickhouse/server/clickhouse-server.js')
  const { createClickHouseEngine } = await import('../engine/clickhouse/engine.js')
  const server = connectServer(clickhouse)
  const { connectShards } = await import('../engine/clickhouse/schema/shards.js')
  const { cluster } = clickhouse
  const engine = createClickHouseEngine({
    ...{ ...shared, server, location: clickhouse, ...disk! },
    rowLimits: retention,
    connectShards: cluster === undefined ? undefined : () => connectShards(server, { ...clickhouse, cluster }),
  })
  return { engine, start: async () => noWork }
}

const noWork = async () => {}

/** Returns a function that takes the endpoints of users and returns all endpoints of the service. */
async function createEndpoints({ sql, supabase }: ServeConfig, views: ReadableViews) {
  // The compiler is loaded when the first SQL arrives: an earlier load would take time of the start, and memory.
  const loadCompiler = async () => {
    const { readSql } = await import('../sql/read-sql.js')
    return { readSql: (text: string) => readSql(text, undefined, views) }
  }
  const builtIn = endpointsOf({ loadCompiler: sql ? loadCompiler : undefined, supabase })
  if (!supabase) return (ofUsers: readonly Endpoint[]) => [...builtIn, ...ofUsers]
  const { studioEndpoints, notReplaced } = await import('../supabase/endpoints.js')
  const ofStudio = studioEndpoints(loadCompiler)
  return (ofUsers: readonly Endpoint[]) => [...builtIn, ...notReplaced(ofStudio, ofUsers), ...ofUsers]
}

/**
 * Loads the endpoints in the directory of `--endpoints`, and tries each plan on an engine without rows. Throws
 * `usage`.
 */
async function loadUserEndpoints(
  directory: string | undefined,
  views: ReadableViews | undefined,
  log: Log,
): Promise<UserEndpoints | undefined> {
  if (directory === undefined) return undefined
  // Loaded only if there is such a directory, because the import hook slows the start.
  const { createImporter } = await import('../user-endpoints/import.js')
  const { openUserEndpoints } = await import('../user-endpoints/open.js')
  return openUserEndpoints(directory, {
    reserved: ENDPOINTS,
    importModule: createImporter(),
    tryPlan,
    nowUs: systemClock.nowUs,
    views,
    log,
  })
}

/** Loads the rules of `--alerts`. Undefined without the setting. Throws the errors of `openAlerts`. */
async function loadAlerts(
  { alerts: directory, receivers }: ServeConfig,
  environment: Environment,
  disk: DataDirectory | undefined,
  shared: Shared & { views: ReadableViews },
): Promise<Alerts | undefined> {
  if (directory === undefined) return undefined
  // Loaded only if there are alerts: the parts take time of the start, and memory.
  const { openAlerts } = await import('./alerts.js')
  return openAlerts({ ...shared, directory, receivers, environment, disk })
}
