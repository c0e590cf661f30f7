import { type Row, tableWithin } from './table/table.js'

/** The size of a terminal in characters. */
interface ScreenSize {
  columns: number
  lines: number
}

/** A terminal with a cursor that can be moved. */
export interface Screen {
  /** Whether headings are not bold. */
  isPlain: boolean
  /** The names of columns with times in microseconds. By default `timestamp`. */
  times?: ReadonlySet<string>
  /** Returns the present size. */
  size(): ScreenSize
  /** Calls the listener whenever the size has changed. */
  onResize(listener: () => void): void
}

/** A table that is painted over its previous state. */
export interface Repaint {
  /** Paints the table of rows. Throws `usage` if no row has a chosen column. Rejects with the error of `write`. */
  paint(rows: readonly Row[]): Promise<void>
  /** Leaves the table as it is, since other lines follow. The next table is painted below. */
  leave(): void
}

const CLEAR_SCREEN = '\u001b[H\u001b[2J'
/** Before the text of a line, since a terminal may erase the last character behind a line of full width. */
const CLEAR_LINE = '\u001b[K'
const CLEAR_BELOW = '\u001b[J'
const up = (lines: number) => (lines === 0 ? '' : `\u001b[${lines}A`)

/** Creates a table on a screen. It has the chosen columns, or all. A new size clears the screen and paints again. */
export function createRepaint(
  write: (text: string) => Promise<void>,
  screen: Screen,
  chosen: readonly string[] | undefined,
): Repaint {
  let painted = 0
  let shown: readonly Row[] | undefined

  function paint(rows: readonly Row[], start: string): Promise<void> {
    const { columns, lines } = screen.size()
    // The cursor needs a line below the table.
    const text = tableWithin(rows, { columns, lines: lines - 1, isPlain: screen.isPlain, times: screen.times }, chosen)
    const painting = text.split('\n').slice(0, -1)
    painted = painting.length
    shown = rows
    return write(`${start}${painting.map((line) => `${CLEAR_LINE}${line}\n`).join('')}${CLEAR_BELOW}`)
  }

  screen.onResize(() => {
    // The terminal may have wrapped the lines, so their number is unknown. The next write reports a closed terminal.
    if (shown !== undefined) paint(shown, CLEAR_SCREEN).catch(() => {})
  })
  return {
    paint: (rows) => paint(rows, up(painted)),
    leave() {
      painted = 0
    },
  }
}
