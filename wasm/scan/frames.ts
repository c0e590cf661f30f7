/**
 * Frames: what the walk must remember of each container it is inside of, in 16 bits.
 *
 * Most containers are of no interest: a plain object is 0, a plain array is 1, and the walk tells with one comparison
 * that nothing is to be recorded. Otherwise a frame also holds the place (which names to look for in it) and the
 * field whose value it is. A *target* is the same for the value to come: place and field, or 0.
 */
import { MAX_DEPTH } from '../../src/wasm-layout/field-table'

export const PLAIN_OBJECT: u32 = 0
export const PLAIN_ARRAY: u32 = 1

/** Bit 0: an array. */
export const IS_ARRAY: u32 = 1

/** Bits 1 to 3: whose names to look for, in the object or in the first element of the array. */
export const PLACE_MASK: u32 = 7 << 1
export const RECORD: u32 = 1 << 1
export const METADATA: u32 = 2 << 1
export const REQUEST: u32 = 3 << 1
export const RESPONSE: u32 = 4 << 1

/** Bits 4 to 8: the number of the field plus one; 0 means none. */
export const FIELD_SHIFT: u32 = 4
export const FIELD_MASK: u32 = 31 << FIELD_SHIFT

/** Bit 9: the array has had its first element. Bit 10: not all of its elements are objects. */
export const HAS_FIRST: u32 = 1 << 9
export const HAS_OTHERS: u32 = 1 << 10

/** The frames around the innermost container, outermost first. */
export const STACK: usize = memory.data(2 * (MAX_DEPTH + 1), 16)

/** Where the stack ends: with MAX_DEPTH containers open no other may be opened. */
export const STACK_LIMIT: usize = STACK + 2 * MAX_DEPTH

/** The target of a value that is the value of `field`. */
// @ts-ignore: decorator
@inline
export function ofField(field: u32): u32 {
  return (field + 1) << FIELD_SHIFT
}

/** The number plus one of the field whose value a target or frame is; 0 means none. */
// @ts-ignore: decorator
@inline
export function fieldPlusOne(target: u32): u32 {
  return (target & FIELD_MASK) >> FIELD_SHIFT
}
