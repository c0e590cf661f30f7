import { escapeControl } from '../../base/text/escape-control.js'
import type { RowsOut } from '../../client/output.js'
import { type Context, write } from './command.js'

/** Returns the output of rows on standard output. */
export function rowsOut({ stdout, stderr, environment, log }: Context): RowsOut {
  return {
    write: (text) => write(stdout, text),
    terminal: stdout.isTTY ? { columns: stdout.columns, isPlain: Boolean(environment.NO_COLOR) } : undefined,
    warn: (text) => log(escapeControl(text), { level: 'warn' }),
    errorColumns: stderr.isTTY ? stderr.columns : undefined,
  }
}
