const BLOCK_BITS = 10
const IN_BLOCK = 2 ** BLOCK_BITS - 1

/**
 * Returns a function that looks up a number of a character, at most 65,535, by the code point. The numbers of 1,024
 * characters are computed together, when the first of them is looked up.
 */
export function createCharacterTable(numberOf: (character: string) => number): (codePoint: number) => number {
  const blocks: (Uint16Array | undefined)[] = []
  const makeBlock = (first: number) =>
    Uint16Array.from({ length: IN_BLOCK + 1 }, (_, i) => numberOf(String.fromCodePoint(first + i)))
  return (codePoint) => (blocks[codePoint >> BLOCK_BITS] ??= makeBlock(codePoint & ~IN_BLOCK))[codePoint & IN_BLOCK]
}
