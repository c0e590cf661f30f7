/** The input: bytes that the host writes into memory, either lines to scan or names to register. */

/** Address of the first input byte. Offsets in the field table count from here. */
export const BYTES: usize = (__heap_base + 63) & ~63
