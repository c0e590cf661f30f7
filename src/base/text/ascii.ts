// The bytes that parsers look for.

/** Tab. */
const TAB = 0x09
/** Line feed. */
export const NEWLINE = 0x0a
/** Carriage return. */
export const RETURN = 0x0d
/** Space. */
const SPACE = 0x20
/** `"` */
export const QUOTE = 0x22
/** `,` */
export const COMMA = 0x2c
/** `-` */
export const MINUS = 0x2d
/** `.` */
export const POINT = 0x2e
/** `0`. The other digits follow. */
export const ZERO = 0x30
/** `E` */
export const LETTER_E = 0x45
/** `\` */
export const BACKSLASH = 0x5c
/** `[` */
export const OPEN_ARRAY = 0x5b
/** `]` */
export const CLOSE_ARRAY = 0x5d
/** `e` */
export const LETTER_e = 0x65
/** `{` */
export const OPEN_OBJECT = 0x7b
/** `}` */
export const CLOSE_OBJECT = 0x7d

/** Decodes a range of bytes as Latin-1, a character per byte. The result is exact if all bytes are ASCII. */
export function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
}

/** Returns the length of the UTF-8 byte order mark at the start: 3, or 0 if there is none. */
export const byteOrderMarkLength = (bytes: Uint8Array): number =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0

/** Whether a byte is JSON white space. */
export const isSpace = (byte: number | undefined): boolean =>
  byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB
