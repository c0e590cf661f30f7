import { parseExact } from './exact-json.js'
import { type ServerEvent, unreadableEvent } from './follow.js'
import { orderOf, type RowOrder } from './key-order.js'
import type { Row } from './table.js'

/** A result that the events of a subscription keep current. */
export interface LiveResult {
  /**
   * Applies an event of the type `snapshot` or `change`, and returns the rows. A changed row keeps its place. A new row
   * gets the place that the order of the snapshot suggests, else the last. Throws a {@link ServiceError} if the event
   * is malformed, or is a change of nothing.
   */
  apply(event: ServerEvent): readonly Row[]
}

/** The rows by the texts of their keys, in order. */
interface Keyed {
  columns: readonly string[]
  rows: Map<string, Row>
  order: RowOrder | undefined
}

/** Creates a result without rows. */
export function createLiveResult(): LiveResult {
  let keyed: Keyed | undefined
  return {
    apply({ event, data }) {
      const read = readEvent(data)
      if (event === 'change') {
        if (keyed === undefined || !isChange(read)) throw unreadableEvent()
        keyed.rows = changed(keyed, read)
        return [...keyed.rows.values()]
      }
      if (!isSnapshot(read)) throw unreadableEvent()
      const { result, key } = read
      keyed = key && { columns: key, rows: byKey(result, key), order: orderOf(result, key) }
      return result
    },
  }
}

interface Snapshot {
  result: readonly Row[]
  key?: readonly string[]
}

interface Change {
  upsert: readonly Row[]
  delete: readonly (readonly unknown[])[]
}

function readEvent(data: string): object {
  try {
    const value = parseExact(data)
    if (typeof value === 'object' && value !== null) return value
  } catch {}
  throw unreadableEvent()
}

function isSnapshot(value: object): value is Snapshot {
  const { result, key } = value as Partial<Snapshot>
  return areRows(result) && (key === undefined || (Array.isArray(key) && key.every((name) => typeof name === 'string')))
}

function isChange(value: object): value is Change {
  const { upsert, delete: deleted } = value as Partial<Change>
  return areRows(upsert) && Array.isArray(deleted) && deleted.every((values) => Array.isArray(values))
}

const areRows = (value: unknown) =>
  Array.isArray(value) && value.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row))

/** Returns the text of a key. Values of different types, as `500` and `'500'`, have different texts. */
const textOfKey = (values: readonly unknown[]) => JSON.stringify(values)

const keyOf = (row: Row, columns: readonly string[]) => textOfKey(columns.map((name) => row[name] ?? null))

const byKey = (rows: readonly Row[], columns: readonly string[]) =>
  new Map(rows.map((row) => [keyOf(row, columns), row]))

function changed({ columns, rows: before, order }: Keyed, { upsert, delete: deleted }: Change): Map<string, Row> {
  const rows = new Map(before)
  for (const values of deleted) rows.delete(textOfKey(values))
  const kept = rows.size
  for (const row of upsert) rows.set(keyOf(row, columns), row)
  if (order === undefined || rows.size === kept) return rows
  // Sorting is stable, so only new rows move.
  return byKey([...rows.values()].sort(order), columns)
}
