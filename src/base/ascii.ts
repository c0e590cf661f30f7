/** The bytes that are looked for, by name. */
export const TAB = 0x09
export const NEWLINE = 0x0a
export const RETURN = 0x0d
export const SPACE = 0x20
export const MINUS = 0x2d
export const POINT = 0x2e
export const ZERO = 0x30
export const LETTER_E = 0x45
export const BACKSLASH = 0x5c
export const LETTER_e = 0x65

/** A range of bytes as text, one character a byte: exact where they are ASCII. */
export function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
}

/** The length of the byte order mark that may stand before all else. */
export const byteOrderMark = (bytes: Uint8Array): number =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0

/** JSON white space. */
export const isSpace = (byte: number | undefined): boolean =>
  byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB
