import { usageError } from '../../base/failures.js'
import { didYouMean } from '../../base/text/nearest.js'
import { type Column, columnOf, TIMESTAMP } from './cells.js'
import { cut, widthOf, wrap } from './width.js'

/** A row of an answer: column names to JSON values. */
export type Row = Readonly<Record<string, unknown>>

/** The appearance of a table. */
export interface TableOptions {
  /** The width of the terminal. Infinity: shorten nothing. */
  columns: number
  /** Whether headings are not bold. */
  isPlain: boolean
  /** The names of columns with times in microseconds. By default `timestamp`. */
  times?: ReadonlySet<string> | undefined
}

/** Rows of a table that comes in parts. */
export interface TableStream {
  /** Returns the lines of some rows, with the headings before the first. Widths are those of the first rows. */
  lines(rows: readonly Row[]): string
  /** Returns the text of a table without rows, if no row came. */
  end(): string
}

const GAP = '  '
const MESSAGE = 'event_message'
/** The first columns if the caller chooses none. */
const FIRST = [TIMESTAMP, MESSAGE]
/** Cells are cut to this many characters per terminal column before measuring, since longer cells cannot fit. */
const CHARACTERS_A_COLUMN = 8
/** The smallest useful width of a column. */
const MIN_WIDTH = 6
const BOLD = ['\u001b[1m', '\u001b[22m'] as const

/**
 * Formats rows as a table: headings, then a line per row. Columns are `chosen`, or else all columns, time and message
 * first. If the lines are too long, headings are wrapped and texts shortened, the message last. Control characters are
 * escaped. Returns `no rows` if there are none. Throws `usage` if no row has a chosen column.
 */
export function table(rows: readonly Row[], options: TableOptions, chosen?: readonly string[]): string {
  const stream = tableStream(options, chosen)
  return rows.length === 0 ? stream.end() : stream.lines(rows)
}

/** Starts a table with rows that come in parts, formatted as by {@link table}. */
export function tableStream(options: TableOptions, chosen?: readonly string[]): TableStream {
  let layout: Layout | undefined
  return {
    lines(rows) {
      const isFirst = layout === undefined
      layout ??= layoutOf(rows, options, chosen)
      const headings = isFirst ? headingsOf(layout).map((line) => bold(line, options.isPlain)) : []
      return [...headings, ...bodyOf(rows, layout), ''].join('\n')
    },
    end: () => (layout === undefined ? NO_ROWS : ''),
  }
}

/**
 * Formats rows as {@link table}, in at most `lines` lines of at most `columns`. If there are more rows than room, the
 * last line says how many are not shown. Widths are those of the first rows.
 */
export function tableWithin(
  rows: readonly Row[],
  { lines, ...options }: TableOptions & { lines: number },
  chosen?: readonly string[],
): string {
  if (rows.length === 0) return NO_ROWS
  const { columns, isPlain } = options
  const first = rows.slice(0, Math.max(lines, 1))
  const layout = layoutOf(first, options, chosen)
  const headings = headingsOf(layout)
  const body = bodyOf(first, layout)
  const room = Math.max(lines - headings.length, 1)
  const shown = body.slice(0, rows.length > room ? room - 1 : room)
  const more = rows.length - shown.length
  const count = more === 0 ? [] : [`… ${more.toLocaleString('en-US')} more ${more === 1 ? 'row' : 'rows'}`]
  const narrow = (line: string) => cut(line, columns)
  const all = [...headings.map((line) => bold(narrow(line), isPlain)), ...[...shown, ...count].map(narrow)]
  return [...all.slice(0, Math.max(lines, 1)), ''].join('\n')
}

const NO_ROWS = 'no rows\n'
const bold = (line: string, isPlain: boolean) => (isPlain ? line : `${BOLD[0]}${line}${BOLD[1]}`)

/** A column of a table: where its cells are, and how they look. */
interface Layout {
  shown: readonly { name: string; heading: string; isNumeric: boolean; isTime: boolean; width: number }[]
  /** The width of the terminal. */
  columns: number
}

/** Arranges columns by at least one row. Throws `usage` if no row has a chosen column. */
function layoutOf(
  rows: readonly Row[],
  { columns, times = TIMES }: TableOptions,
  chosen: readonly string[] | undefined,
): Layout {
  const all = columnNames(rows)
  for (const name of chosen ?? []) checkColumn(name, all)
  const names = chosen ?? all
  const cells = names.map((name) => cellsOf(rows, name, times.has(name), columns))
  const widths = fitWidths(cells, columns)
  const shown = cells.map(({ heading, isNumeric }, i) => {
    return { name: names[i], heading, isNumeric, isTime: times.has(names[i]), width: widths[i] }
  })
  return { shown, columns }
}

const TIMES: ReadonlySet<string> = new Set([TIMESTAMP])

function cellsOf(rows: readonly Row[], name: string, isTime: boolean, columns: number): Column {
  const longest = CHARACTERS_A_COLUMN * columns
  const values = rows.map((row) => row[name])
  const column = columnOf(name, values, isTime)
  return { ...column, cells: column.cells.map((cell) => cell.slice(0, longest)) }
}

const headingsOf = (layout: Layout) =>
  headingLines(layout.shown.map(({ heading, width }) => wrap(heading, width))).map((texts) => lineOf(texts, layout))

function bodyOf(rows: readonly Row[], layout: Layout): string[] {
  const cells = layout.shown.map(({ name, isTime }) => cellsOf(rows, name, isTime, layout.columns).cells)
  return rows.map((_, row) =>
    lineOf(
      cells.map((texts) => texts[row]),
      layout,
    ),
  )
}

const lineOf = (texts: readonly string[], { shown }: Layout) =>
  texts
    .map((text, i) => align(cut(text, shown[i].width), shown[i].width, shown[i].isNumeric))
    .join(GAP)
    .trimEnd()

function columnNames(rows: readonly Row[]): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return [...FIRST.filter((name) => names.includes(name)), ...names.filter((name) => !FIRST.includes(name))]
}

function checkColumn(name: string, all: readonly string[]): void {
  if (all.includes(name)) return
  throw usageError(`--columns: there is no column ${JSON.stringify(name)}. ${didYouMean(name, all)}`)
}

/** Arranges wrapped headings as lines from top to bottom, aligned at the bottom. */
function headingLines(headings: readonly (readonly string[])[]): string[][] {
  const height = largest(headings.map((lines) => lines.length))
  return Array.from({ length: height }, (_, at) => headings.map((lines) => lines[at - height + lines.length] ?? ''))
}

const largest = (numbers: readonly number[]) => numbers.reduce((one, other) => Math.max(one, other), 0)
const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0)

function align(text: string, width: number, isRight: boolean): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return isRight ? space + text : text + space
}

/**
 * Returns widths that fit into a line if the smallest widths do. Headings get room first, then the message, then the
 * other columns.
 */
function fitWidths(shown: readonly Column[], columns: number): readonly number[] {
  const room = columns - GAP.length * (shown.length - 1)
  const headings = shown.map(({ heading }) => widthOf(heading))
  const contents = shown.map(({ cells }) => largest(cells.map(widthOf)))
  const natural = contents.map((width, i) => Math.max(width, headings[i]))
  const smallest = shown.map(({ canBeCut }, i) => Math.max(canBeCut ? 0 : contents[i], Math.min(natural[i], MIN_WIDTH)))
  const message = natural.map((width, i) => (shown[i].heading === MESSAGE ? width : 0))
  return [headings, message, natural].reduce((widths, wanted) => widen(widths, wanted, room), smallest)
}

/**
 * Widens columns up to the `wanted` widths, the narrowest first, until the room is used. Binary search for the limit.
 */
function widen(widths: readonly number[], wanted: readonly number[], room: number): number[] {
  const under = (cap: number) => widths.map((width, i) => Math.max(width, Math.min(wanted[i], cap)))
  const fits = (cap: number) => sum(under(cap)) <= room
  const widest = largest(wanted)
  if (fits(widest)) return under(widest)
  let [low, high] = [0, widest]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle
  }
  return under(low)
}
