/** Status classes and levels, from harmless to severe, and their colours. */
import { PINO_LEVELS } from '../../common/usual-fields.js'

/** Severity of a status or a level, and the name of the colour. */
export type Severity = 'none' | 'debug' | 'info' | 'redirect' | 'warn' | 'error' | 'fatal'

const ORDER: readonly Severity[] = ['fatal', 'error', 'warn', 'redirect', 'info', 'debug', 'none']

const WORDS: Readonly<Record<string, Severity>> = {
  '1xx': 'debug',
  '2xx': 'info',
  '3xx': 'redirect',
  '4xx': 'warn',
  '5xx': 'error',
  trace: 'debug',
  debug: 'debug',
  debug1: 'debug',
  info: 'info',
  log: 'info',
  notice: 'redirect',
  statement: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  critical: 'fatal',
  alert: 'fatal',
  emergency: 'fatal',
  fatal: 'fatal',
  panic: 'fatal',
}

/** Returns the severity of a status, a status class, or a level in any case, or `none` if unknown. */
export function severityOf(value: unknown): Severity {
  if (value === null || value === undefined) return 'none'
  const text = String(value).toLowerCase()
  const word = /^[1-5]\d\d$/.test(text) ? `${text[0]}xx` : text
  return Object.hasOwn(WORDS, word) ? WORDS[word] : 'none'
}

/** Returns the word for a level that is a number of pino. Other values stay as they are. */
export const wordOfLevel = (value: unknown): unknown =>
  typeof value === 'number' ? (PINO_LEVELS[value] ?? value) : value

/** Compares classes for a chart: the most severe first, then by name. */
export function bySeverity(a: string | null, b: string | null): number {
  const [first, second] = [a, b].map((value) => ORDER.indexOf(severityOf(value))) as [number, number]
  return first - second || String(a).localeCompare(String(b), 'en')
}
