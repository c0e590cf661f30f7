/** The bytes that JSON is made of, by name. */
export const NEWLINE = 0x0a
export const MINUS = 0x2d
export const POINT = 0x2e
export const ZERO = 0x30
export const NINE = 0x39
export const COLON = 0x3a
export const BACKSLASH = 0x5c
export const LETTER_E = 0x45
export const LETTER_e = 0x65
export const LETTER_u = 0x75

/** The value of each hexadecimal digit; 255 for any other byte. */
export const HEX = new Uint8Array(256).fill(255)
for (let value = 0; value < 16; value++) {
  HEX[value.toString(16).charCodeAt(0)] = value
  HEX[value.toString(16).toUpperCase().charCodeAt(0)] = value
}

/** A range of bytes as text, one character a byte: exact where they are ASCII. */
export function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
}

/** Copies bytes[start, end) to `target` at `at`. Short ranges byte by byte: a view costs more than they do. */
export function copyBytes(bytes: Uint8Array, start: number, end: number, target: Uint8Array, at: number): void {
  if (end - start > 48) target.set(bytes.subarray(start, end), at)
  else for (let p = start; p < end; p++) target[at++] = bytes[p]!
}
