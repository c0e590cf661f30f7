import { raiseHeapGrowth } from '../base/process/heap.js'
import { catchStopSignals } from '../base/process/stop-signals.js'
import { systemClock } from '../base/time/clock.js'
import { MIB } from '../base/units.js'
import { LINES_SETTINGS } from '../config/directory-settings.js'
import { onReaderClosed } from './call/closed-pipe.js'
import { type Command, EXIT } from './call/command.js'
import { rowsOut, screenOf } from './call/rows-out.js'

/** The memory for which the heap is set up: lines of any number are read in little memory. */
const HEAP_BYTES = 256 * MIB

/** `logweir lines`: runs SQL over NDJSON. */
export const lines: Command = {
  name: 'lines',
  operand: "'select … from lines' [FILE…]",
  operandPath: 'file',
  meaning: 'run SQL over NDJSON in files or a pipe, without a service',
  settings: LINES_SETTINGS,
  remarks: `The table is lines: timestamp, line (the text), and every other name is a field of the line.
  … | logweir lines 'select level, count(*) as n from lines group by level'
Files may be compressed (.gz, .zst). Without a file, the standard input is read. Everything behind -- is the query.
Exit code 1: a file cannot be read, or a row fails the query; 2: the SQL is wrong. A line that is no JSON object is
counted, and told at the end.`,
  async run(args, context) {
    const { readLinesConfig } = await import('../lines/lines-config.js')
    const config = readLinesConfig(args, context.environment)
    raiseHeapGrowth(HEAP_BYTES)
    const { queryLines } = await import('../lines/query-lines.js')
    onReaderClosed(() => process.exit(EXIT.ok))
    const stop = config.follow ? stopOnSignal() : undefined
    const parts = { clock: systemClock, log: context.log, out: rowsOut(context), screen: screenOf(context), stop }
    await queryLines(config, parts)
    return EXIT.ok
  },
}

/** Returns a signal that Ctrl-C aborts: groups that are open are printed then. A second Ctrl-C ends at once. */
function stopOnSignal(): AbortSignal {
  const stop = new AbortController()
  const { first, second } = catchStopSignals()
  first.then(() => stop.abort())
  second.then(() => process.exit(EXIT.failure))
  return stop.signal
}
