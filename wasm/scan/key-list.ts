/** The keys of records and of their metadata, in the order in which they stand: what `take` needs to merge the two. */

/** The roles of a key: a field of the record that joins the metadata, … */
export const OTHER: i32 = -1
/** … one that never does, … */
export const KNOWN: i32 = -2
/** … or one of the metadata itself. From 0 on: the field that is the source, the time or the message if it is read as such. */
export const OWN: i32 = -3

/** Bytes of an entry: where the key begins, its closing quote as `closingQuote` gives it, and what it is. */
export const ENTRY_BYTES: usize = 12

/** Entries that the lines of one scan share, so that a scan of many lines touches little memory. */
const SHARED_ENTRIES: usize = 16384
/** A member of an object takes so many bytes at least, as in `"":1,`. */
export const MEMBER_BYTES: usize = 5

let list: usize = 0
let shared: usize = 0
let limit: usize = 0

/** Where the next entry goes. */
export let nextEntry: usize = 0

/** Entries that the list has room for: any that a line of `maxLineBytes` has, besides those that lines share. */
export function entriesFor(maxLineBytes: usize): usize {
  return SHARED_ENTRIES + maxLineBytes / MEMBER_BYTES + 1
}

/** Puts the list at `start`, with room for the entries that such a line may have. */
export function placeList(start: usize, maxLineBytes: usize): void {
  list = start
  shared = start + SHARED_ENTRIES * ENTRY_BYTES
  limit = start + entriesFor(maxLineBytes) * ENTRY_BYTES
}

/** Empties the list from `entry` on. */
export function cutList(entry: usize): void {
  nextEntry = entry
}

export function emptyList(): void {
  nextEntry = list
}

/** Whether another line may be scanned: false once the lines before it have filled the entries that they share. */
export function hasRoom(): bool {
  return nextEntry < shared
}

/** Appends a key. One for which there is no room belongs to a line that is too long to be taken. */
// @ts-ignore: decorator
@inline
export function noteKey(key: usize, quote: i32, role: i32): void {
  if (nextEntry >= limit) return
  store<i32>(nextEntry, <i32>key)
  store<i32>(nextEntry, quote, 4)
  store<i32>(nextEntry, role, 8)
  nextEntry += ENTRY_BYTES
}
