import type { Log } from '../base/log.js'
import type { Clock } from '../base/time/clock.js'
import { isBuiltIn, registerSource, type SourceName } from '../common/sources.js'
import type { ClickHouseConfig } from '../config/clickhouse-config.js'
import { findSourceTables } from '../engine/clickhouse/schema/source-tables.js'
import { applyCommand, connectServer, ServerError } from '../engine/clickhouse/server/clickhouse-server.js'

/** How long a start waits for the list of tables. */
const FIRST_MS = 2_000
/** Interval at which a server that has not answered is asked again. */
const RETRY_MS = 5_000

/**
 * Makes the sources known that have a table in ClickHouse and are no longer configured, and logs the configured sources
 * that have none. Resolves after the first attempt, within 2 s: the service starts without the server. Until the server
 * has answered once, further attempts follow. The returned function ends the attempts.
 */
export async function watchSourceTables(
  clickhouse: ClickHouseConfig,
  { clock, log }: { clock: Clock; log: Log },
): Promise<() => Promise<void>> {
  const server = connectServer(clickhouse)
  let isBusy = false
  let isDone = false

  async function attempt(): Promise<void> {
    if (isBusy || isDone) return
    isBusy = true
    try {
      const { missing, unconfigured } = await findSourceTables(server, clickhouse, { deadlineMs: FIRST_MS })
      isDone = true
      unconfigured.forEach(registerSource)
      if (missing.length > 0) reportMissing(missing, log)
    } catch (error) {
      // The rows and queries that need the server report its failure.
      if (!(error instanceof ServerError)) throw error
    } finally {
      isBusy = false
    }
  }

  await attempt()
  const stopRetrying = clock.every(RETRY_MS, () => void attempt())
  return async () => {
    isDone = true
    stopRetrying()
    await server.close()
  }
}

function reportMissing(missing: readonly SourceName[], log: Log): void {
  const own = missing.filter((name) => !isBuiltIn(name))
  log(
    `ClickHouse has no table of ${missing.join(', ')}. Until ${applyCommand(own)} creates the tables, rows wait in ` +
      'the data directory, and queries fail.',
    { level: 'error', code: 'clickhouse_tables_missing' },
  )
}
