import { shorten } from '../base/text/shorten.js'
import { HISTORY_SOURCE, SOURCE_NAMES, SOURCES, type SourceName } from './sources.js'
import { RESERVED } from './sql-words.js'

/** The rule for the names of own sources. */

/** The most own sources that ingest accepts. */
export const MAX_OWN_SOURCES = 200
/** The most characters of the name of an own source. */
export const MAX_SOURCE_NAME_CHARACTERS = 63

const FORM = /^[a-z][a-z0-9_]*$/
/** Names with a meaning of their own in queries, besides the words of SQL. */
const TAKEN: ReadonlySet<string> = new Set(['lines', 'view', 'unnest', HISTORY_SOURCE])
const NINE: ReadonlySet<string> = new Set(SOURCE_NAMES)
const ALIASES: ReadonlySet<string> = new Set(SOURCES.map(({ alias }) => alias))

/** Returns why a text cannot be the name of an own source, as the end of a sentence. Undefined if it can. */
export function faultOfOwnName(name: string): string | undefined {
  if (NINE.has(name)) return 'is one of the nine sources, which need not be named'
  if (ALIASES.has(name)) return 'is the alias of one of the nine sources'
  if (!FORM.test(name) || name.length > MAX_SOURCE_NAME_CHARACTERS) {
    return (
      `is not a name of a-z, 0-9 and _, starting with a letter, ` +
      `at most ${MAX_SOURCE_NAME_CHARACTERS} characters long`
    )
  }
  return RESERVED.has(name) || TAKEN.has(name) ? 'has a meaning of its own in queries' : undefined
}

/** Whether a text is the name of a source: of one of the nine, an own one, or the history of alerts. */
export const isSourceName = (text: string): text is SourceName =>
  NINE.has(text) || text === HISTORY_SOURCE || faultOfOwnName(text) === undefined

/** In a list of names: records make sources of any name. */
export const ANY_NAME = '*'

/** Returns the names of a comma-separated list, which may have `*`. Undefined if the list has a fault. */
export const readOwnNames = (list: string, others: readonly SourceName[] = []): readonly SourceName[] | undefined =>
  findFault(list, others) === undefined ? list.split(',') : undefined

/**
 * Returns the fault of a comma-separated list of names: which name, and why. Empty if there is none. `others` may be in
 * the list too.
 */
export const faultOfOwnNames = (list: string, others: readonly SourceName[] = []): string =>
  findFault(list, others) ?? ''

/** How much of a wrong name is shown. */
const MAX_SHOWN_CHARACTERS = 80

function findFault(list: string, others: readonly SourceName[]): string | undefined {
  const names = list.split(',')
  let count = 0
  for (const [i, name] of names.entries()) {
    const shown = JSON.stringify(shorten(name, MAX_SHOWN_CHARACTERS))
    const isOther = name === ANY_NAME || others.includes(name)
    const fault = isOther ? undefined : faultOfOwnName(name)
    if (fault !== undefined) return `${shown} ${fault}`
    if (names.indexOf(name) < i) return `${shown} is in the list twice`
    if (!isOther && ++count > MAX_OWN_SOURCES) {
      return `${shown} is the name ${count}, and there may be ${MAX_OWN_SOURCES}`
    }
  }
  return undefined
}
