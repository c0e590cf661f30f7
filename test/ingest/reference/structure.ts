/** Bytes that have a meaning in JSON, by name. */
export const TAB = 0x09
export const CARRIAGE_RETURN = 0x0d
export const SPACE = 0x20
export const QUOTE = 0x22
export const PLUS = 0x2b
export const COMMA = 0x2c
export const NINE = 0x39
export const COLON = 0x3a
export const OPEN_BRACKET = 0x5b
export const BACKSLASH = 0x5c
export const CLOSE_BRACKET = 0x5d
export const LETTER_f = 0x66
export const LETTER_n = 0x6e
export const LETTER_t = 0x74
export const LETTER_u = 0x75
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d

/** The value of each hexadecimal digit, and 255 for any other byte. */
export const HEX = new Uint8Array(256).fill(255)
for (let value = 0; value < 16; value++) {
  HEX[value.toString(16).charCodeAt(0)] = value
  HEX[value.toString(16).toUpperCase().charCodeAt(0)] = value
}
