import type { Log } from '../../../base/log.js'
import type { Clock } from '../../../base/time/clock.js'
import { createSettledTime } from '../../../base/time/settled-time.js'
import { DAY_US, HOUR_US, KIB, MINUTE_US } from '../../../base/units.js'
import { allSourceNames, type SourceName } from '../../../common/sources.js'
import type { RowLimits } from '../../deletion.js'
import type { ConnectShards } from '../schema/shards.js'
import { quotedTable, type TableLocation, tableWithRows } from '../schema/table-names.js'
import { lacksTable, type Server } from '../server/clickhouse-server.js'
import { int64Value, textValue } from '../server/values.js'
import { deleteWhere } from './mutations.js'

interface RetentionOptions {
  server: Server
  location: TableLocation
  connectShards: ConnectShards
  limits: RowLimits
  clock: Clock
  log: Log
}

const MINUTE_MS = MINUTE_US / 1_000
const HOUR_MS = HOUR_US / 1_000
const DAY_MS = DAY_US / 1_000
/** The most characters of the projects of a statement, which a server accepts up to 1 MiB. */
const MOST_CONDITION_LENGTH = 512 * KIB

/**
 * Deletes the rows that are past the limit of their project, once for each day of running time, the first time as soon
 * as the clock has been past a time for long enough. Whole UTC days are deleted: each part is rewritten once. Returns a
 * function that stops it; the servers finish deletions that have begun.
 */
export function startDailyRetention(options: RetentionOptions): () => Promise<void> {
  const { clock, log } = options
  const settled = createSettledTime()
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  let nextMs = Number.NEGATIVE_INFINITY

  async function run(settledUs: number): Promise<void> {
    try {
      await deletePast(options, settledUs, stopping.signal)
      nextMs = clock.monotonicMs() + DAY_MS
    } catch (error) {
      if (stopping.signal.aborted) return
      nextMs = clock.monotonicMs() + HOUR_MS
      const { message } = error as Error
      log(`rows past their retention cannot be deleted in ClickHouse, which is tried again in an hour: ${message}`, {
        level: 'warn',
        code: 'removal_failed',
      })
    } finally {
      running = undefined
    }
  }

  const stop = clock.every(MINUTE_MS, () => {
    settled.record(clock.nowUs())
    const settledUs = settled.settledUs()
    const isDue = settledUs > Number.NEGATIVE_INFINITY && clock.monotonicMs() >= nextMs
    if (isDue && running === undefined) running = run(settledUs)
  })
  return async () => {
    stop()
    stopping.abort(new Error('The engine closes.'))
    await running
  }
}

/** Deletes the rows of all sources that may be removed, given a time that the clock has been past for long enough. */
async function deletePast(options: RetentionOptions, settledUs: number, signal: AbortSignal): Promise<void> {
  const { server, location, limits, connectShards } = options
  const shards = await connectShards()
  try {
    for (const source of allSourceNames()) {
      const oldest = await oldestRows(server, location, source, signal)
      for (const condition of conditionsOf(oldest, (project) =>
        limits.removableThroughUs(source, project, settledUs),
      )) {
        const table = tableWithRows(location, source)
        await Promise.all(shards.servers.map((one) => deleteWhere({ server: one, location, table }, condition, signal)))
      }
    }
  } finally {
    await shards.close()
  }
}

/** The time of the oldest row of each project. The empty text is no project. */
type OldestRows = ReadonlyMap<string, number>

async function oldestRows(
  server: Server,
  location: TableLocation,
  source: SourceName,
  signal: AbortSignal,
): Promise<OldestRows> {
  const sql = `SELECT project, min(timestamp) FROM ${quotedTable(location, source)} GROUP BY project`
  try {
    const rows = await server.select(sql, { signal })
    return new Map(rows.map(([project, oldestUs]) => [String(project), Number(oldestUs)]))
  } catch (error) {
    if (lacksTable(error as Error)) return new Map()
    throw error
  }
}

/** Yields conditions of the rows of whole days that are past: projects with the same last day are listed together. */
function* conditionsOf(oldest: OldestRows, throughUs: (project: string | undefined) => number): Iterable<string> {
  const byLastUs = new Map<number, string[]>()
  for (const [project, oldestUs] of oldest) {
    const lastUs = Math.floor((throughUs(project || undefined) + 1) / DAY_US) * DAY_US - 1
    if (!(oldestUs <= lastUs)) continue
    const projects = byLastUs.get(lastUs) ?? []
    projects.push(textValue(project))
    byLastUs.set(lastUs, projects)
  }
  for (const [lastUs, projects] of byLastUs) {
    for (const list of listsOf(projects)) {
      yield `timestamp <= ${int64Value(lastUs)} AND project IN (${list})`
    }
  }
}

/** Joins texts with commas, to texts of a limited length. */
function* listsOf(texts: readonly string[]): Iterable<string> {
  let list: string[] = []
  let length = 0
  for (const text of texts) {
    if (length + text.length > MOST_CONDITION_LENGTH && list.length > 0) {
      yield list.join(', ')
      list = []
      length = 0
    }
    list.push(text)
    length += text.length + 2
  }
  if (list.length > 0) yield list.join(', ')
}
