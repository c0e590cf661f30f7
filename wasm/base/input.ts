/** The input: the bytes that the host writes into memory, to be scanned or as names. */

/** The address of the first input byte. Offsets in the field table count from here. */
export const BYTES: usize = (__heap_base + 63) & ~63
