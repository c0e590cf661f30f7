import type { Clock } from '../../base/clock.js'
import type { Metrics } from '../../base/metrics.js'
import { DAY_US, MIB, MINUTE_US } from '../../base/units.js'
import type { Engine, Row } from '../engine.js'
import { shapeOf } from '../plan.js'
import { type Run, runBuckets, runRows } from './execute.js'
import { createPause } from './slices.js'
import { enforceMemoryLimit, enforceRetention } from './storage/retention.js'
import { createStore } from './storage/store.js'

export interface ArrowEngineOptions {
  clock: Clock
  metrics: Metrics
  /** Bytes that rows may take, heads and sealed segments together; beyond it the oldest day goes. */
  memoryLimitBytes: number
  /** Days older than this go. */
  retentionUs?: number
  /** A head is sealed once it holds so many rows or bytes. */
  sealRows?: number
  sealBytes?: number
}

/** The embedded engine, and what tests and shutdown need of it beyond the interface. */
export interface ArrowEngine extends Engine {
  /** Seals every open head now. */
  seal(): Promise<void>
}

const RETENTION_US = 90 * DAY_US
const SEAL_ROWS = 2 ** 18
const SEAL_BYTES = 64 * MIB
/** Heads take at most this share of the memory limit each, so that sealing begins long before eviction must. */
const HEAD_SHARE = 1 / 16
/** How often old days and unused memory are looked for. */
const UPKEEP_MS = MINUTE_US / 1000

/** Rows as sorted, compressed, time-partitioned columns in this process's memory. */
export function createArrowEngine(options: ArrowEngineOptions): ArrowEngine {
  const { clock, metrics, memoryLimitBytes, retentionUs = RETENTION_US, sealRows = SEAL_ROWS } = options
  const sealBytes = options.sealBytes ?? Math.min(SEAL_BYTES, memoryLimitBytes * HEAD_SHARE)
  const store = createStore({ sealRows, sealBytes })
  metrics.memoryLimitBytes.set(memoryLimitBytes)
  const stopUpkeep = clock.every(UPKEEP_MS, () => {
    enforceRetention(store, clock.nowUs(), retentionUs, metrics)
    store.trim('idle')
  })

  return {
    async append(batch) {
      await store.append(batch)
      enforceMemoryLimit(store, memoryLimitBytes, metrics)
    },
    async run(plan, { signal } = {}) {
      const shape = shapeOf(plan)
      if (shape === undefined) return inOrder([])
      const { batches, release } = store.view(shape.source)
      const run: Run = { batches, pause: createPause(signal), scanned: (rows) => metrics.scannedRows.inc(rows) }
      if (shape.kind === 'buckets') return inOrder(await runBuckets(shape, run).finally(release))
      const found = await runRows(shape, run).catch((error) => {
        release()
        throw error
      })
      return releasing(found, release)
    },
    seal: () => store.sealAll(),
    stats: () => store.stats(),
    async close() {
      stopUpkeep()
      await store.settled()
    },
  }
}

/** The rows, and `release` when they have been read, or are not wanted any more. */
async function* releasing(rows: AsyncIterable<Row>, release: () => void): AsyncIterable<Row> {
  try {
    yield* rows
  } finally {
    release()
  }
}

async function* inOrder(rows: readonly Row[]): AsyncIterable<Row> {
  yield* rows
}
