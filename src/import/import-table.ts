import type { Clock } from '../base/time/clock.js'
import { MIB } from '../base/units.js'
import type { SourceName } from '../common/sources.js'
import type { Engine } from '../engine/engine.js'
import type { Ingest } from '../ingest/stream/ingest.js'
import { Rows, scan } from '../plan/builder.js'
import type { RowKey, TableReader } from './postgres/table-reader.js'
import { recordLine } from './record-line.js'
import type { TableCount } from './report.js'
import { firstWindow, nextWindow, type Window } from './time-windows.js'

/** Limits of the keys and rows in memory at a time. Tests pass smaller limits. */
export interface ImportLimits {
  /** The most keys per query. */
  keys: number
  /** The most rows per query. */
  rows: number
  /** A query of rows ends with the row that exceeds this total of stored sizes. */
  bytes: number
}

/** The limits of the command. */
export const IMPORT_LIMITS: ImportLimits = { keys: 2 ** 15, rows: 4096, bytes: 2 * MIB }

/** The import of a single table: source, target, and limits. */
export interface TableImport {
  source: SourceName
  table: TableReader
  engine: Pick<Engine, 'run'>
  /** Opens the stream of lines of this table. */
  openIngest(): Pick<Ingest, 'write' | 'end' | 'close'>
  clock: Pick<Clock, 'nowUs'>
  retentionUs: number
  /** Only rows before this time are imported. Undefined: all. */
  untilUs: number | undefined
  limits: ImportLimits
  /** Called after each query of keys, with the rows of the table that are done. */
  onProgress(read: number): void
}

/**
 * Imports the rows of a table that the engine does not have, by time. A row is there if the engine has the row's id
 * among the rows of that time. So an import that was stopped anywhere can be repeated. Updates `count` along the way.
 * Throws the errors of the table and of the stream. Rows of the last moments may be lost then, and are imported next
 * time.
 */
export async function importTable(task: TableImport, count: TableCount): Promise<void> {
  const { table, clock, retentionUs, untilUs, limits } = task
  const fromUs = clock.nowUs() - retentionUs
  const statistics = await table.statistics(fromUs, untilUs)
  const { rows, before, after, untimed, range } = statistics
  Object.assign(count, { rows, pastRetention: before, notBeforeUntil: after, untimed } satisfies Partial<TableCount>)
  if (range === undefined) return
  const leftOut = before + after + untimed
  const ingest = task.openIngest()
  try {
    let read = leftOut
    let window: Window | undefined = firstWindow(range, rows - leftOut, limits.keys)
    while (window !== undefined) {
      const keys = await table.keys(window, limits.keys)
      const missing = await withoutStored(keys, task)
      count.alreadyThere += keys.length - missing.length
      const linesOf = (keys: RowKey[]) => readLines(keys, task)
      for await (const lines of oneAhead(inParts(missing, limits), linesOf)) await ingest.write(lines)
      read += keys.length
      task.onProgress(read)
      window = nextWindow(window, keys, limits.keys)
    }
    const { taken, rejected, byReason } = await ingest.end()
    // Rows that have become too old since the import began.
    const tooOld = byReason.too_old ?? 0
    count.imported += taken
    count.pastRetention += tooOld
    count.rejected += rejected - tooOld
  } finally {
    await ingest.close()
  }
}

/**
 * Returns the keys with ids that the engine lacks in the range of their times. If the engine has more rows in this
 * range than a query may hold, each half of the keys has a separate query.
 */
async function withoutStored(keys: readonly RowKey[], task: TableImport): Promise<RowKey[]> {
  if (keys.length === 0) return []
  const { engine, source } = task
  const range = { fromUs: keys[0].timestampUs, throughUs: keys.at(-1)!.timestampUs }
  const missing = new Map(keys.map((key) => [key.id, key]))
  try {
    for await (const { id } of await engine.run(Rows.planOf(scan(source, range).select('id')))) {
      missing.delete(id as string)
    }
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'too_much_memory' || keys.length === 1) throw error
    const middle = Math.ceil(keys.length / 2)
    const halves = [keys.slice(0, middle), keys.slice(middle)]
    return [...(await withoutStored(halves[0], task)), ...(await withoutStored(halves[1], task))]
  }
  return [...missing.values()]
}

/** Divides keys into parts. A single query reads the rows of a part. */
function* inParts(keys: readonly RowKey[], { rows, bytes }: ImportLimits): Generator<RowKey[]> {
  let part: RowKey[] = []
  let partBytes = 0
  for (const key of keys) {
    part.push(key)
    partBytes += key.bytes
    if (part.length < rows && partBytes < bytes) continue
    yield part
    part = []
    partBytes = 0
  }
  if (part.length > 0) yield part
}

/** Returns the rows of `keys` as NDJSON. */
async function readLines(keys: readonly RowKey[], { table, source }: TableImport): Promise<Buffer> {
  const rows = await table.rows(keys)
  return Buffer.from(rows.map((row) => recordLine(row, source)).join(''))
}

/** Yields the result of `load` for each item, and loads the next item at the same time. */
async function* oneAhead<Item, Loaded>(items: Iterable<Item>, load: (item: Item) => Promise<Loaded>) {
  let next: Promise<Loaded> | undefined
  for (const item of items) {
    const current = next
    next = load(item)
    // The promise is awaited later, or not at all if the caller stops.
    next.catch(() => {})
    if (current !== undefined) yield await current
  }
  if (next !== undefined) yield await next
}
