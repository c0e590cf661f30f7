import type { LogweirError } from '../base/errors.js'
import { usageError } from '../base/failures.js'
import { didYouMean } from '../base/text/nearest.js'
import { shorten } from '../base/text/shorten.js'
import { MINUTE_US } from '../base/units.js'
import { durationText, readDuration } from '../front-matter/duration.js'

/** Entries of a retention file, and the errors about them. */

/** An entry of a section of the file. */
export interface Entry {
  section: string
  name: string
  value: unknown
}

/** The subject of an error message: an entry, or a name at the top level. */
export type Named = Pick<Entry, 'name'> & Partial<Entry>

/** The facts that parsing needs besides the file. */
export interface ParseContext {
  /** The longest time of rows, in microseconds. */
  mostUs: number
  /** Returns the place of an entry of a section, or of the top level, for error messages. */
  placeOf(section: string | undefined, name: string): string
}

/** The shortest time: rows need seconds to arrive. */
const MIN_US = MINUTE_US
const MAX_SHOWN_CHARACTERS = 64
const PLAIN_NAME = /^[\w.-]+$/

/** Returns the error about an entry. The sentence starts with the verb. */
export function fault({ section, name }: Named, sentence: string, { placeOf }: ParseContext): LogweirError<'usage'> {
  const shown = shorten(name, MAX_SHOWN_CHARACTERS)
  const subject = PLAIN_NAME.test(shown) ? shown : JSON.stringify(shown)
  return usageError(`${placeOf(section, name)}: ${section === undefined ? '' : `[${section}] `}${subject} ${sentence}`)
}

/** Reads a time such as "90d", in microseconds. Throws `usage`. */
export function readTime(entry: Named, value: unknown, context: ParseContext): number {
  const us = typeof value === 'string' ? readDuration(value) : undefined
  if (us !== undefined && us >= MIN_US) return us
  throw fault(entry, 'is not a time of at least 1m. Write "90d" or "12h"; units m, h, d; in quotes.', context)
}

/** Reads a time of rows, in microseconds. Throws `usage`, also if the time is longer than rows are kept. */
export function readRowsTime(entry: Named, value: unknown, context: ParseContext): number {
  const us = readTime(entry, value, context)
  if (us <= context.mostUs) return us
  const most = durationText(context.mostUs)
  throw fault(entry, `is longer than --retention-days. Raise --retention-days, or give at most "${most}".`, context)
}

/** Returns the members of an entry that is a table. Throws `usage` if it is none, or has other members. */
export function readMembers(entry: Entry, known: readonly string[], context: ParseContext): Table {
  const { value } = entry
  if (!isTable(value)) {
    throw fault(entry, `is neither a time in quotes nor a table { ${known.join(' = …, ')} = … }.`, context)
  }
  const unknown = Object.keys(value).find((member) => !known.includes(member))
  if (unknown === undefined) return value
  const shown = JSON.stringify(shorten(unknown, MAX_SHOWN_CHARACTERS))
  throw fault(entry, `has the unknown member ${shown}. ${didYouMean(unknown, known)}`, context)
}

/** A table of the file. */
type Table = Readonly<Record<string, unknown>>

/** Whether a value of the file is a table. */
export const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
