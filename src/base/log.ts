/** How much a line matters: the course of things, what someone should look at, what is failing. */
export type Level = 'info' | 'warn' | 'error'

export type LogFormat = 'text' | 'json'

/** What a line says to a machine, beside its words. */
export interface Facts {
  /** `info` where nothing is said. */
  level?: Level
  /** What has happened, in snake_case; it stays the same where the words change. */
  code?: string
  time?: never
  msg?: never
  readonly [name: string]: string | number | boolean | undefined | Readonly<Record<string, number>>
}

/** Says one line to the person who runs the program; the words say all. Never a token, but for one just made, never a record's text. */
export type Log = (message: string, facts?: Facts) => void

/** Where lines go. */
export interface LogOutput {
  isTTY?: boolean
  hasColors?(): boolean
  write(text: string): unknown
}

const CLEAR_LINE = '\r\u001b[K'
const [DIM, YELLOW, RED, PLAIN] = ['\u001b[2m', '\u001b[33m', '\u001b[31m', '\u001b[0m']
const COLOURS: Record<Level, string> = { info: '', warn: YELLOW, error: RED }
/** Where the time of day stands in an ISO 8601 time. */
const TIME_OF_DAY = ['2026-11-20T'.length, '2026-11-20T10:00:00'.length] as const

/** Lines on stderr. A stderr that is closed is no reason to stop. */
export function createStderrLog(format: LogFormat): Log {
  process.stderr.on('error', () => {})
  return createLog(format, process.stderr, () => new Date())
}

/**
 * Lines of text after the program's name, on a terminal with the time and in colour; or a JSON object a line: `time`, `level`,
 * `msg`, then the facts. Times are in UTC.
 */
export function createLog(format: LogFormat, output: LogOutput, now: () => Date): Log {
  const lineOf = format === 'json' ? jsonLine : output.isTTY ? terminalLines(output) : textLine
  return (message, facts = {}) => output.write(`${lineOf(message, facts, now().toISOString())}\n`)
}

function jsonLine(msg: string, { level = 'info', ...facts }: Facts, time: string): string {
  return JSON.stringify({ time, level, msg, ...facts })
}

const textLine = (message: string): string => `logweir: ${message}`

/** Each in place of a line that shows progress. */
function terminalLines(output: LogOutput) {
  const paint = (colour: string, text: string) =>
    colour !== '' && output.hasColors?.() ? `${colour}${text}${PLAIN}` : text
  return (message: string, { level = 'info' }: Facts, time: string): string =>
    `${CLEAR_LINE}${paint(DIM, time.slice(...TIME_OF_DAY))} ${textLine(paint(COLOURS[level], message))}`
}
