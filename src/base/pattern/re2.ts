/** The groups of a match in a Buffer, each as bytes. Undefined if the match takes no part of the group. */
export type BytesMatch = ArrayLike<Buffer | undefined> & { readonly index: number; readonly 0: Buffer }

/**
 * A compiled pattern, whichever engine has compiled it. The types of the package `re2` do not include the search of a
 * Buffer. A Buffer is valid UTF-8, and a search starts between two characters.
 */
export interface Re2 {
  /**
   * Where the next search starts, if the pattern has the flag `g`: the end of the last match, in UTF-16 units of a
   * string and in bytes of a Buffer. Other patterns ignore it.
   */
  lastIndex: number
  /** The pattern in RE2's own spelling. */
  readonly internalSource: string
  /** The pattern as given, with escaped slashes. */
  readonly source: string
  test(text: string | Buffer): boolean
  exec(text: string): RegExpExecArray | null
  exec(bytes: Buffer): BytesMatch | null
  /**
   * Returns where a match ends that starts at a place or behind it, -1 if there is none. Needs the flag `g`. RE2 takes
   * the first match, re2js the match that ends first, which it finds many times as fast.
   */
  endFrom(bytes: Buffer, from: number): number
}

/**
 * Compiles a pattern with flags of JavaScript: `g`, `i`, `m`, `s`. Throws an error with RE2's reason if the pattern is
 * not valid.
 */
export type CreateRe2 = (pattern: string, flags: string) => Re2
