/** Key list: the keys of records and of their metadata in their order, which `appendLines` needs to merge the two. */

/** Roles of a key. A field of the record that is merged into the metadata, … */
export const OTHER: i32 = -1
/** … a field that never is, … */
export const KNOWN: i32 = -2
/**
 * … or a member of the metadata. A role from 0 on is the number of a field that is source, time or message if read as
 * such.
 */
export const OWN: i32 = -3

/** Bytes of an entry: address of the key, its closing quote as returned by `closingQuote`, its role. */
export const ENTRY_BYTES: usize = 12

/** Entries that the lines of one scan share, so that a scan of many lines touches little memory. */
const SHARED_ENTRIES: usize = 16384
/** Fewest bytes of a member of an object, as in `"":1,`. */
export const MEMBER_BYTES: usize = 5

let list: usize = 0
let shared: usize = 0
let limit: usize = 0
let lineBytes: usize = 0

/** Address of the next entry. */
export let nextEntry: usize = 0

/** Returns the capacity of the list: entries that lines share, and the most entries of two lines of `maxLineBytes`. */
export function entriesFor(maxLineBytes: usize): usize {
  return SHARED_ENTRIES + 2 * entriesOfLine(maxLineBytes)
}

function entriesOfLine(maxLineBytes: usize): usize {
  return maxLineBytes / MEMBER_BYTES + 1
}

/** Places the list at `start`, with the capacity that `entriesFor` returns. */
export function initList(start: usize, maxLineBytes: usize): void {
  list = start
  shared = start + SHARED_ENTRIES * ENTRY_BYTES
  lineBytes = entriesOfLine(maxLineBytes) * ENTRY_BYTES
  limit = shared + lineBytes
}

/** Makes room for the entries of a line behind those of the last scan, or takes the room away. */
export function addRoom(isRoomForLine: bool): void {
  limit = isRoomForLine ? nextEntry + lineBytes : shared + lineBytes
}

/** Removes the entries from `entry` on. */
export function truncateList(entry: usize): void {
  nextEntry = entry
}

/** Removes all entries. */
export function clearList(): void {
  nextEntry = list
}

/** Returns whether another line may be scanned: false once the earlier lines have filled the shared entries. */
export function hasRoom(): bool {
  return nextEntry < shared
}

/** Appends a key. If the list is full, the line is longer than allowed, and is refused later. */
// @ts-ignore: decorator
@inline
export function appendKey(key: usize, quote: i32, role: i32): void {
  if (nextEntry >= limit) return
  store<i32>(nextEntry, <i32>key)
  store<i32>(nextEntry, quote, 4)
  store<i32>(nextEntry, role, 8)
  nextEntry += ENTRY_BYTES
}
