/**
 * Names of the fields of a record that are always read. A name is identified by its length and its bytes as a
 * little-endian word.
 */
import { ID, METADATA_FIELD, PROJECT, SOURCE } from '../../src/wasm-layout/field-table'
import { firstBytes } from '../base/copy'
import { fieldTarget, METADATA } from './frames'

/** Returns the target of the value with the `length` bytes at `p` as its name; 0 if the name is not one of them. */
// @ts-ignore: decorator
@inline
export function fixedTarget(p: usize, length: usize): u32 {
  switch (<i32>length) {
    case 2:
      return load<u16>(p) == 0x6469 ? fieldTarget(ID) : 0
    case 6:
      return firstBytes(load<u64>(p), 6) == 0x656372756f73 ? fieldTarget(SOURCE) : 0
    case 7:
      return firstBytes(load<u64>(p), 7) == 0x7463656a6f7270 ? fieldTarget(PROJECT) : 0
    case 8:
      return load<u64>(p) == 0x617461646174656d ? METADATA | fieldTarget(METADATA_FIELD) : 0
    default:
      return 0
  }
}
