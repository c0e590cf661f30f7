/** Numbers that wasm/numbers/counting.ts and the host share. See memory.ts for the rules of such files. */

/** Integers from 0 to below this are counted: all of 16 bits but the placeholder of exceptions. */
export const COUNTED_INTEGERS = 0xffff
/** Integers that are written to the input at a time. */
export const INPUT_INTEGERS = 32_768
