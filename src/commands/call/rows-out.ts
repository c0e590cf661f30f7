import { escapeControl } from '../../base/text/escape-control.js'
import type { RowsOut } from '../../client/output.js'
import type { Screen } from '../../client/repaint.js'
import { type Context, write } from './command.js'

/** Returns the output of rows on standard output. Some terminals have a width of 0: for these nothing is cut. */
export function rowsOut({ stdout, stderr, environment, log }: Context): RowsOut {
  return {
    write: (text) => write(stdout, text),
    terminal: stdout.isTTY
      ? { columns: stdout.columns || Infinity, isPlain: Boolean(environment.NO_COLOR) }
      : undefined,
    warn: (text) => log(escapeControl(text), { level: 'warn' }),
    errorColumns: stderr.isTTY ? stderr.columns : undefined,
  }
}

/** The size of a terminal that does not tell its size. */
const [COLUMNS, LINES] = [80, 24]

/** Returns the terminal on standard output, if its cursor can be moved. */
export function screenOf({ stdout, environment }: Context): Screen | undefined {
  if (!stdout.isTTY || environment.TERM === 'dumb') return undefined
  return {
    isPlain: Boolean(environment.NO_COLOR),
    size: () => ({ columns: stdout.columns || COLUMNS, lines: stdout.rows || LINES }),
    onResize: (listener) => stdout.on('resize', listener),
  }
}
