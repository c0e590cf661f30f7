import { harmless } from '../base/harmless.js'
import { isoOf } from '../base/iso8601.js'
import { cut, widthOf } from './width.js'

/** A row of an answer: names to any JSON. */
export type Row = Readonly<Record<string, unknown>>

export interface TableOptions {
  /** Of the terminal; Infinity: cut nothing. */
  columns: number
  /** No bold headings. */
  isPlain: boolean
}

const GAP = '  '
const TIMESTAMP = 'timestamp'
/** No text of so many characters fits into one column, so that the rest need not be measured. */
const CHARACTERS_A_COLUMN = 8
/** Below it a column tells nothing. */
const LEAST_WIDTH = 6
const BOLD = ['\u001b[1m', '\u001b[22m'] as const

/**
 * Rows as lines for eyes: a heading, then a line a row. Columns are the names of all rows, in the order in which they
 * come; numbers stand on the right; timestamps are ISO 8601, UTC; texts are cut where the line is too short. No text of a
 * row can drive the terminal.
 */
export function table(rows: readonly Row[], { columns, isPlain }: TableOptions): string {
  if (rows.length === 0) return 'no rows\n'
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const longest = CHARACTERS_A_COLUMN * columns
  const cells = rows.map((row) => names.map((name) => cellOf(name, row[name]).slice(0, longest)))
  const heading = names.map(harmless)
  const isRight = names.map((name) => rows.every((row) => isNumberOrNone(name, row[name])))
  const sizes = names.map((name, i) => {
    const widest = largest(cells.map((row) => widthOf(row[i]!)))
    return sizeOf(widthOf(heading[i]!), widest, isRight[i]! || name === TIMESTAMP)
  })
  const widths = fitted(sizes, columns)
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => aligned(cut(cell, widths[i]!), widths[i]!, isRight[i]!))
      .join(GAP)
      .trimEnd()
  const [on, off] = isPlain ? ['', ''] : BOLD
  return [`${on}${line(heading)}${off}`, ...cells.map(line), ''].join('\n')
}

const largest = (numbers: readonly number[]) => numbers.reduce((one, other) => Math.max(one, other), 0)

/** Timestamps are integers, but are no amounts. */
const isTimestamp = (name: string, value: unknown) => name === TIMESTAMP && Number.isSafeInteger(value)

const isNumberOrNone = (name: string, value: unknown) =>
  (typeof value === 'number' && !isTimestamp(name, value)) || value === null || value === undefined

function cellOf(name: string, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (isTimestamp(name, value)) return isoOf(value as number)
  return harmless(typeof value === 'string' ? value : JSON.stringify(value))
}

function aligned(text: string, width: number, isRight: boolean): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return isRight ? space + text : text + space
}

/** How wide a column would be, and how wide it must be: half a number or half a time is a wrong one. */
interface Size {
  natural: number
  least: number
}

function sizeOf(heading: number, widest: number, isWhole: boolean): Size {
  const natural = Math.max(widest, heading)
  const least = Math.min(natural, LEAST_WIDTH)
  return { natural, least: isWhole ? Math.max(widest, least) : least }
}

/** Widths that fit into a line, where the least ones do: the widest columns give way, down to their least. */
function fitted(sizes: readonly Size[], columns: number): readonly number[] {
  const room = columns - GAP.length * (sizes.length - 1)
  const under = (cap: number) => sizes.map(({ natural, least }) => Math.max(least, Math.min(natural, cap)))
  const fits = (cap: number) => under(cap).reduce((one, other) => one + other, 0) <= room
  const widest = largest(sizes.map(({ natural }) => natural))
  if (fits(widest)) return under(widest)
  let [low, high] = [0, widest]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle
  }
  return under(low)
}
