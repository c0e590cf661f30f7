import type { MemoryShare } from '../../base/memory/memory-budget.js'
import type { Row } from '../../plan/answer.js'
import { answerKeys, isOrdered } from '../../plan/answer-keys.js'
import type { Plan } from '../../plan/plan.js'
import { RawJson } from '../../plan/values/values.js'
import { valueJson } from '../formats/json.js'
import { rowLine } from '../tail/events.js'

/** How the rows of an answer are told apart. */
export interface AnswerShape {
  /** The columns with values that no two rows share. Undefined: rows are not told apart. */
  key: readonly string[] | undefined
  /** Whether the order of the rows is a part of the answer. */
  isOrdered: boolean
}

/** Returns the shape of the answers of a plan, of which the service limits the rows to `maxRows`. */
export const shapeOf = (plan: Plan, maxRows: number): AnswerShape => ({
  key: answerKeys(plan, maxRows),
  isOrdered: isOrdered(plan),
})

/** A whole answer, each row as JSON on one line. */
export interface Result extends AnswerShape {
  rows: readonly string[]
  /** The rows by the JSON of their keys. Undefined without a key. */
  byKey: ReadonlyMap<string, string> | undefined
  /** The bytes of the rows in UTF-8. */
  rowsBytes: number
  /** Approximate bytes of memory. */
  heldBytes: number
}

/** The rows that are new or different, and the keys of the rows that are gone, as JSON. */
export interface Change {
  upsert: readonly string[]
  delete: readonly string[]
}

/** Approximate bytes of a row in addition to the text. */
const ROW_BYTES = 128

/** Cancellation and memory of {@link readResult}. */
interface Reading {
  signal: AbortSignal
  memory: MemoryShare
  /** Throws if a result of this size cannot be kept. */
  checkRoom(heldBytes: number): void
}

/** Reads all rows of an answer. If two rows have the same key, which no JSON tells apart, the result has no key. */
export async function readResult(
  answer: AsyncIterable<Row>,
  shape: AnswerShape,
  { signal, memory, checkRoom }: Reading,
): Promise<Result> {
  const { key } = shape
  const rows: string[] = []
  const byKey = new Map<string, string>()
  let [rowsBytes, heldBytes] = [0, 0]
  for await (const row of answer) {
    signal.throwIfAborted()
    const text = rowLine(row)
    const bytes = Buffer.byteLength(text)
    rows.push(text)
    rowsBytes += bytes
    let added = bytes + ROW_BYTES
    if (key !== undefined) {
      const keyText = keyJson(row, key)
      byKey.set(keyText, text)
      added += keyText.length + ROW_BYTES
    }
    heldBytes += added
    memory.add(added)
    await memory.room(signal)
    checkRoom(heldBytes)
  }
  const isKeyed = key !== undefined && byKey.size === rows.length
  return { ...shape, ...(isKeyed ? { key, byKey } : { key: undefined, byKey: undefined }), rows, rowsBytes, heldBytes }
}

/**
 * The values of the key as JSON, as a client in JavaScript writes them after reading: a client must not take two keys
 * for one, or one for two.
 */
function keyJson(row: Row, key: readonly string[]): string {
  const values = key.map((name) => row[name]!)
  const text = `[${values.map(valueJson).join(',')}]`
  return values.some((value) => value instanceof RawJson) ? JSON.stringify(JSON.parse(text)) : text
}

/** Whether two results are the same answer. */
export function isSame(one: Result, other: Result): boolean {
  if (one.rows.length !== other.rows.length || (one.key === undefined) !== (other.key === undefined)) return false
  if (one.byKey !== undefined) return [...one.byKey].every(([key, row]) => other.byKey!.get(key) === row)
  const [rows, others] = one.isOrdered ? [one.rows, other.rows] : [one.rows.toSorted(), other.rows.toSorted()]
  return rows.every((row, i) => row === others[i])
}

/** Returns the change that makes one result of another. Undefined if there is no key by which rows can be replaced. */
export function changeOf(before: Result, after: Result): Change | undefined {
  if (before.byKey === undefined || after.byKey === undefined) return undefined
  const upsert = [...after.byKey].flatMap(([key, row]) => (before.byKey!.get(key) === row ? [] : [row]))
  return { upsert, delete: [...before.byKey.keys()].filter((key) => !after.byKey!.has(key)) }
}
