import { hash } from 'node:crypto'
import { RawJson } from './values.js'

/** A value that may be listed. Integers beyond 2^53 are bigints. */
export type Listed = string | number | boolean | bigint

/** How often values occur. */
export interface ValueCounts {
  /** The number of values. */
  rows: number
  /** How often each value that may be listed occurs. Counted in place, with a single lookup for each value. */
  listed: Map<Listed, { count: number }>
  /** The hashes of the other values: long texts, objects and lists. */
  hidden: Set<string>
  /** Bytes of memory, about. */
  bytes: number
}

/** Longer texts are not listed. */
const MAX_TEXT_CHARACTERS = 200
/** Two collections and the object around them, and the objects of an entry, about. */
const COUNTS_BYTES = 400
const ENTRY_BYTES = 120

/** Returns the counts of no values. */
export const noValues = (): ValueCounts => ({ rows: 0, listed: new Map(), hidden: new Set(), bytes: COUNTS_BYTES })

/** Counts a value of the metadata `by` times. */
export function addValue(counts: ValueCounts, value: Listed | RawJson, by = 1): void {
  counts.rows += by
  if (value instanceof RawJson) hide(counts, value.text)
  else if (typeof value === 'string' && value.length > MAX_TEXT_CHARACTERS) hide(counts, value)
  else if (isUnsafe(value)) addUnsafe(counts, value, JSON.stringify(value), by)
  else increase(counts, value, by)
}

/** Counts a number beyond 2^53, with all digits if the number is spelled as an integer. */
export function addUnsafeNumber(counts: ValueCounts, value: number, spelled: string): void {
  counts.rows += 1
  addUnsafe(counts, value, INTEGER.test(spelled) ? spelled : JSON.stringify(value), 1)
}

const addUnsafe = (counts: ValueCounts, value: number, spelled: string, by: number) =>
  increase(counts, INTEGER.test(spelled) ? BigInt(spelled) : value, by)

/** Whether a value is a number that a double may not hold exactly. */
export const isUnsafe = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER

const INTEGER = /^-?\d+$/

const hide = (counts: ValueCounts, text: string) => addHidden(counts, hash('sha256', text, 'base64url'))

function addHidden(counts: ValueCounts, hashed: string): void {
  const before = counts.hidden.size
  counts.hidden.add(hashed)
  if (counts.hidden.size > before) counts.bytes += ENTRY_BYTES
}

function increase(counts: ValueCounts, value: Listed, by: number): void {
  const known = counts.listed.get(value)
  if (known !== undefined) known.count += by
  else {
    counts.listed.set(value, { count: by })
    counts.bytes += ENTRY_BYTES + (typeof value === 'string' ? 2 * value.length : 0)
  }
}

/** Values of a step of a merge. */
const STEP_VALUES = 1024

/** Adds counts to others, in short steps. */
export function* mergeValues(into: ValueCounts, from: ValueCounts): Generator<void> {
  into.rows += from.rows
  let values = 0
  for (const [value, { count }] of from.listed) {
    increase(into, value, count)
    if (++values % STEP_VALUES === 0) yield
  }
  for (const hashed of from.hidden) addHidden(into, hashed)
}

/** Returns the number of different values. */
export const distinctValues = ({ listed, hidden }: ValueCounts): number => listed.size + hidden.size

/** Returns the most frequent of the listed values, as JSON: `[{"value":…,"count":…}, …]`. */
export function topValues({ listed }: ValueCounts, most: number): string {
  const leastCount =
    Float64Array.from(listed.values(), ({ count }) => count)
      .sort()
      .at(-most) ?? 0
  // The JSON texts, which decide between equal counts, are made of few values.
  const found = [...listed].filter(([, { count }]) => count >= leastCount)
  const sorted = found
    .map(([value, { count }]) => ({ json: typeof value === 'bigint' ? `${value}` : JSON.stringify(value), count }))
    .sort((a, b) => b.count - a.count || (a.json < b.json ? -1 : 1))
  return `[${sorted
    .slice(0, most)
    .map(({ json, count }) => `{"value":${json},"count":${count}}`)
    .join(',')}]`
}
