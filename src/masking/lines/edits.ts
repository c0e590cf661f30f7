import { COMMA, isSpace } from '../../base/text/ascii.js'

const NOTHING = Buffer.alloc(0)

/** Replacements of parts of a line, in their order. */
export interface Edits {
  clear(): void
  isEmpty(): boolean
  /** Replaces bytes[start, end) by a text. */
  replace(start: number, end: number, text: string): void
  /** Removes bytes[start, end), with the replacements in the range, which are the last ones. */
  remove(start: number, end: number): void
  /** Returns the length of the line [start, end) with the replacements. */
  lengthOf(start: number, end: number): number
  /** Writes the line [start, end) with the replacements to `to`, in the same bytes. */
  write(bytes: Uint8Array, start: number, end: number, to: number): void
}

/** Returns replacements that are used again for each line. */
export function createEdits(): Edits {
  let ranges: number[] = []
  let texts: Buffer[] = []
  return {
    clear() {
      if (texts.length === 0) return
      ranges = []
      texts = []
    },
    isEmpty: () => texts.length === 0,
    replace(start, end, text) {
      ranges.push(start, end)
      texts.push(Buffer.from(text))
    },
    remove(start, end) {
      while (texts.length > 0 && ranges.at(-2)! >= start) {
        ranges.length -= 2
        texts.pop()
      }
      ranges.push(start, end)
      texts.push(NOTHING)
    },
    lengthOf(start, end) {
      let length = end - start
      texts.forEach((text, i) => {
        length += text.length - (ranges[2 * i + 1]! - ranges[2 * i]!)
      })
      return length
    },
    write(bytes, start, end, to) {
      let copied = start
      let at = to
      const copy = (until: number) => {
        bytes.copyWithin(at, copied, until)
        at += until - copied
      }
      texts.forEach((text, i) => {
        copy(ranges[2 * i]!)
        bytes.set(text, at)
        at += text.length
        copied = ranges[2 * i + 1]!
      })
      copy(end)
    },
  }
}

/**
 * Returns the range whose removal removes a member [start, end) of an object: with the comma before it if a member
 * before it is kept, else with the comma behind it. `before` is the place behind the bracket or the comma before it.
 */
export function rangeOfMember(
  bytes: Uint8Array,
  { before, end, isFirst }: { before: number; end: number; isFirst: boolean },
): readonly [start: number, end: number] {
  if (!isFirst) return [before - 1, end]
  let after = end
  while (isSpace(bytes[after])) after++
  return [before, bytes[after] === COMMA ? after + 1 : end]
}
