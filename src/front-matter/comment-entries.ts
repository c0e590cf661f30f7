import { nearest } from '../base/text/nearest.js'
import { type FilePlace, lineError } from './place-error.js'

/** `key: value`, where a key is up to two words. */
const ENTRY = /^([a-z]\w*(?:[ _-]+\w+)?)\s*:\s*(.*)$/i

/** The value of a `key: value` line in the comments of a file, and the place of the value. */
export interface Entry extends FilePlace {
  value: string
}

/** The keys of a kind of file. */
export interface EntryKeys<Key extends string> {
  keys: readonly Key[]
  /** Returns the key that an unknown key was probably meant to be, if any. Default: the nearest of `keys`. */
  meantBy?(written: string): string | undefined
}

/** Returns the text of a comment line, empty for an empty line, or undefined for a line of the query. */
export function commentOf(line: string): string | undefined {
  const text = line.trim()
  return text === '' || text.startsWith('--') ? text.slice(2).trim() : undefined
}

/** Returns the known key of a comment, or undefined if the comment is no entry. */
export function keyOf<Key extends string>(comment: string, { keys }: EntryKeys<Key>): Key | undefined {
  const written = ENTRY.exec(comment)?.[1]?.toLowerCase()
  return keys.find((one) => one === written)
}

/**
 * Adds the entry in a line of comment to `entries`, unless the comment is plain. Throws `usage` for an entry without a
 * value, a second entry of a key, and a key that is similar to a known key. The message ends with ` (line N)`.
 */
export function addEntry<Key extends string>(
  text: string,
  line: number,
  known: EntryKeys<Key>,
  entries: Map<Key, Entry>,
): void {
  const [, written, value] = ENTRY.exec(commentOf(text) ?? '') ?? []
  if (written === undefined) return
  const key = known.keys.find((one) => one === written.toLowerCase())
  if (key === undefined) {
    const meant = known.meantBy === undefined ? nearest(written, known.keys) : known.meantBy(written)
    if (meant !== undefined) throw lineError(`there is no "${written}:". Did you mean "${meant}:"?`, line)
    return
  }
  if (value === '') throw lineError(`"${key}:" has no value`, line)
  if (entries.has(key)) throw lineError(`"${key}:" is given twice`, line)
  entries.set(key, { value: value!, line, column: text.trimEnd().length - value!.length + 1 })
}

/**
 * Returns the first of the comments that is plain, of a single line or of consecutive lines, cut to `maxCharacters`,
 * without a final dot. Undefined if no comment is plain.
 */
export function summaryOf(
  comments: readonly string[],
  isPlain: (comment: string) => boolean,
  maxCharacters: number,
): string | undefined {
  const first = comments.findIndex(isPlain)
  if (first < 0) return undefined
  const after = comments.slice(first)
  const end = after.findIndex((comment) => !isPlain(comment))
  return after
    .slice(0, end < 0 ? after.length : end)
    .join(' ')
    .slice(0, maxCharacters)
    .replace(/\.$/, '')
}
