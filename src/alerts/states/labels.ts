import { createHash } from 'node:crypto'

/** Names with texts, sorted by name. A list, since a name of a query must not be a key of an object. */
export type Labels = readonly (readonly [name: string, text: string])[]

/** The longest text of a label that is shown whole, in UTF-16 code units. */
export const MAX_LABEL_CHARACTERS = 256
/** The hexadecimal digits of its hash at the end of a label that is cut. */
const HASH_DIGITS = 8

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Returns the labels sorted by name, by UTF-16 code units. */
export const sortedLabels = (labels: Labels): Labels => labels.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))

/** Returns the identity of an alert: the SHA-256, in hexadecimal, of the rule's name and the full labels, sorted. */
export const identityOf = (rule: string, full: Labels): string => sha256(JSON.stringify([rule, full]))

/**
 * Returns the labels as shown: a text over 256 characters is cut to 256, of which the last 8 are the first digits of
 * the SHA-256 of the whole text.
 */
export const shownLabels = (full: Labels): Labels => full.map(([name, text]) => [name, shownLabel(text)])

function shownLabel(text: string): string {
  if (text.length <= MAX_LABEL_CHARACTERS) return text.toWellFormed()
  const start = text.slice(0, MAX_LABEL_CHARACTERS - HASH_DIGITS - 1).toWellFormed()
  return `${start}…${sha256(text).slice(0, HASH_DIGITS)}`
}

/** Returns the text of a label, or undefined without such a label. */
export const labelOf = (labels: Labels, name: string): string | undefined => labels.find(([one]) => one === name)?.[1]
