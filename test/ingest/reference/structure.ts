/** The bytes that only a scanner of whole JSON texts must know, by name. */
export const TAB = 0x09
export const CARRIAGE_RETURN = 0x0d
export const SPACE = 0x20
export const QUOTE = 0x22
export const PLUS = 0x2b
export const COMMA = 0x2c
export const OPEN_BRACKET = 0x5b
export const CLOSE_BRACKET = 0x5d
export const LETTER_f = 0x66
export const LETTER_n = 0x6e
export const LETTER_t = 0x74
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d
