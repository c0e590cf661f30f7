import { parseExact } from './exact-json.js'
import { type ServerEvent, unreadableEvent } from './follow.js'
import { orderOf, type RowOrder } from './key-order.js'
import type { Row } from './table/table.js'

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
  rows: ReadonlyMap<string, Read<Row>>
  order: RowOrder | undefined
}

/** Creates a result without rows. */
export function createLiveResult(): LiveResult {
  let keyed: Keyed | undefined
  return {
    apply({ event, data }) {
      if (event === 'change') {
        const change = readEvent(data, isChange)
        if (keyed === undefined) throw unreadableEvent()
        keyed = { ...keyed, rows: changed(keyed, change) }
        return Array.from(keyed.rows.values(), ({ exact }) => exact)
      }
      const { exact, plain } = readEvent(data, isSnapshot)
      keyed = plain.key && keyedBy(plain.key, { exact: exact.result, plain: plain.result })
      return exact.result
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

/** JSON that was read twice. */
interface Read<Data> {
  /** With all digits of integers that no double holds, as texts: for people. */
  exact: Data
  /** As JavaScript reads JSON: for keys, since the service takes two keys for one if JavaScript does. */
  plain: Data
}

function readEvent<Data>(json: string, isRight: (value: object) => value is Data & object): Read<Data> {
  try {
    const [exact, plain] = [parseExact(json), JSON.parse(json)] as [object, Data]
    if (typeof exact === 'object' && exact !== null && isRight(exact)) return { exact, plain }
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

const entriesOf = ({ exact, plain }: Read<readonly Row[]>, columns: readonly string[]) =>
  plain.map((row, i) => [textOfKey(columns.map((name) => row[name] ?? null)), { exact: exact[i], plain: row }] as const)

const keyedBy = (columns: readonly string[], rows: Read<readonly Row[]>): Keyed => ({
  columns,
  rows: new Map(entriesOf(rows, columns)),
  order: orderOf(rows.plain, columns),
})

function changed({ columns, rows: before, order }: Keyed, { exact, plain }: Read<Change>): Keyed['rows'] {
  const rows = new Map(before)
  for (const values of plain.delete) rows.delete(textOfKey(values))
  const kept = rows.size
  const upsert = { exact: exact.upsert, plain: plain.upsert }
  for (const [key, row] of entriesOf(upsert, columns)) rows.set(key, row)
  if (order === undefined || rows.size === kept) return rows
  // Sorting is stable, so only new rows move.
  return new Map([...rows].sort(([, one], [, other]) => order(one.plain, other.plain)))
}
