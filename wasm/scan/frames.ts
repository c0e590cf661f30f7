/**
 * Frames: the state of each open container, in 16 bits.
 *
 * Most containers have no fields: a plain object is 0 and a plain array is 1, so one comparison shows that nothing must
 * be recorded. Any other frame has a context (the set of names to look for) and the field that the container is the
 * value of. A *target* is the same for the next value: context and field, or 0.
 */
import { MAX_CONTEXTS, MAX_DEPTH, METADATA_CONTEXT } from '../../src/wasm-layout/field-table'

/** Frames of containers without fields. */
export const PLAIN_OBJECT: u32 = 0
export const PLAIN_ARRAY: u32 = 1

/** Bit 0: an array. */
export const IS_ARRAY: u32 = 1

/** Bits 1 to 6: the context, of the object or of the first element of the array. */
export const CONTEXT_MASK: u32 = (MAX_CONTEXTS - 1) << 1
export const RECORD: u32 = 1 << 1
export const METADATA: u32 = METADATA_CONTEXT << 1

/** Bits 7 to 13: the number of the field plus one; 0 for no field. */
const FIELD_SHIFT: u32 = 7
const FIELD_MASK: u32 = 127 << FIELD_SHIFT

/** Bit 14: the array has had its first element. Bit 15: it has elements that are not objects. */
export const HAS_FIRST: u32 = 1 << 14
export const HAS_OTHERS: u32 = 1 << 15

/** Frames of the outer containers, outermost first. */
export const STACK: usize = memory.data(2 * (MAX_DEPTH + 1), 16)

/** End of the stack: with MAX_DEPTH open containers no other may be opened. */
export const STACK_LIMIT: usize = STACK + 2 * MAX_DEPTH

/** Returns the target of an object in which the names of this context are looked for. */
// @ts-ignore: decorator
@inline
export function contextTarget(context: u32): u32 {
  return context << 1
}

/** Returns the number of the context of a target or frame; 0 for none. */
// @ts-ignore: decorator
@inline
export function contextOf(target: u32): u32 {
  return (target & CONTEXT_MASK) >> 1
}

/** Returns the target of a value of `field`. */
// @ts-ignore: decorator
@inline
export function fieldTarget(field: u32): u32 {
  return (field + 1) << FIELD_SHIFT
}

/** Returns the number plus one of the field of a target or frame; 0 for no field. */
// @ts-ignore: decorator
@inline
export function fieldPlusOne(target: u32): u32 {
  return (target & FIELD_MASK) >> FIELD_SHIFT
}
