/** The importance of a log line: normal operation, something to look at, or a failure. */
type Level = 'info' | 'warn' | 'error'

/** The format of log lines, see {@link createLog}. */
export type LogFormat = 'text' | 'json'

/** The fields of a log line for programs, in addition to the message. */
export interface LogFields {
  /** Default: `info`. */
  level?: Level
  /** The event, in snake_case. The code stays the same when the message is rewritten. */
  code?: string
  time?: never
  msg?: never
  readonly [name: string]: string | number | boolean | undefined | Readonly<Record<string, number>>
}

/**
 * Writes a line for the operator. The message alone must be sufficient. A line never contains the text of a record, nor
 * a token except a token that was just created.
 */
export type Log = (message: string, fields?: LogFields) => void

/** A stream for log lines. */
export interface LogOutput {
  isTTY?: boolean
  hasColors?(): boolean
  write(text: string): unknown
}

const CLEAR_LINE = '\r\u001b[K'
const [DIM, YELLOW, RED, PLAIN] = ['\u001b[2m', '\u001b[33m', '\u001b[31m', '\u001b[0m']
const COLOURS: Record<Level, string> = { info: '', warn: YELLOW, error: RED }
/** The range of the time of day in an ISO 8601 time. */
const TIME_OF_DAY = ['2026-11-20T'.length, '2026-11-20T10:00:00'.length] as const

/** Returns a log on standard error. If standard error is closed, lines are lost and the process continues. */
export function createStderrLog(format: LogFormat): Log {
  process.stderr.on('error', () => {})
  return createLog(format, process.stderr, () => new Date())
}

/**
 * Returns a log. `text` lines begin with the program's name, on a terminal with the time and in colour. `json` lines
 * are objects with `time`, `level`, `msg` and the fields. Times are in UTC.
 */
export function createLog(format: LogFormat, output: LogOutput, now: () => Date): Log {
  const lineOf = format === 'json' ? jsonLine : output.isTTY ? terminalLines(output) : textLine
  return (message, fields = {}) => output.write(`${lineOf(message, fields, now().toISOString())}\n`)
}

function jsonLine(msg: string, { level = 'info', ...fields }: LogFields, time: string): string {
  return JSON.stringify({ time, level, msg, ...fields })
}

const textLine = (message: string): string => `logweir: ${message}`

/** Formats lines that replace a progress line. */
function terminalLines(output: LogOutput) {
  const paint = (colour: string, text: string) =>
    colour !== '' && output.hasColors?.() ? `${colour}${text}${PLAIN}` : text
  return (message: string, { level = 'info' }: LogFields, time: string): string =>
    `${CLEAR_LINE}${paint(DIM, time.slice(...TIME_OF_DAY))} ${textLine(paint(COLOURS[level], message))}`
}
