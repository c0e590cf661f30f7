/**
 * Names of fields by context.
 *
 * A name is identified by its length and its bytes as little-endian words: the first eight and, if it is longer, the
 * last eight. In `execution_time_ms` one byte is in neither word; it is compared separately.
 */
import {
  EXECUTION_TIME_MS,
  FUNCTION_ID,
  ID,
  METADATA_FIELD,
  METADATA_PROJECT,
  METADATA_PROJECT_REF,
  PATH,
  PROJECT,
  SOURCE,
  STATUS_CODE,
  URL,
} from '../../src/wasm-layout/field-table'
import { fieldTarget, METADATA, RECORD, REQUEST, RESPONSE } from './frames'
import { timeOrMessageTarget } from './time-and-message'

/**
 * Returns the target of the value with the `length` bytes at `p` as its name, in an object of this context; 0 if the
 * name is not known.
 */
export function targetOf(context: u32, p: usize, length: usize): u32 {
  const head = length < 8 ? load<u64>(p) & ((<u64>1 << (8 * length)) - 1) : load<u64>(p)
  if (context == REQUEST) return inRequest(length, head)
  const tail = length < 8 ? 0 : load<u64>(p + length - 8)
  if (context == RESPONSE) return inResponse(length, head, tail)
  return context == RECORD ? inRecord(p, length, head, tail) : inMetadata(p, length, head, tail)
}

/** Compares with the names of the record, then with those of the metadata, which other fields are merged into. */
function inRecord(p: usize, length: usize, head: u64, tail: u64): u32 {
  switch (<i32>length) {
    case 2:
      if (head == 0x6469) return fieldTarget(ID)
      break
    case 6:
      if (head == 0x656372756f73) return fieldTarget(SOURCE)
      break
    case 7:
      if (head == 0x7463656a6f7270) return fieldTarget(PROJECT)
      break
    case 8:
      if (head == 0x617461646174656d) return METADATA | fieldTarget(METADATA_FIELD)
      break
  }
  const target = timeOrMessageTarget(p, length)
  return target != 0 ? target : inMetadata(p, length, head, tail)
}

function inMetadata(p: usize, length: usize, head: u64, tail: u64): u32 {
  switch (<i32>length) {
    case 7:
      if (head == 0x74736575716572) return REQUEST
      return head == 0x7463656a6f7270 ? fieldTarget(METADATA_PROJECT) : 0
    case 8:
      return head == 0x65736e6f70736572 ? RESPONSE : 0
    case 11:
      if (head == 0x6e6f6974636e7566 && tail == 0x64695f6e6f697463) return fieldTarget(FUNCTION_ID)
      return head == 0x5f7463656a6f7270 && tail == 0x6665725f7463656a ? fieldTarget(METADATA_PROJECT_REF) : 0
    case 17:
      if (head != 0x6f69747563657865 || tail != 0x736d5f656d69745f) return 0
      return load<u8>(p + 8) == 0x6e ? fieldTarget(EXECUTION_TIME_MS) : 0
    default:
      return 0
  }
}

function inResponse(length: usize, head: u64, tail: u64): u32 {
  const found = length == 11 && head == 0x635f737574617473 && tail == 0x65646f635f737574
  return found ? fieldTarget(STATUS_CODE) : 0
}

function inRequest(length: usize, head: u64): u32 {
  if (length == 3 && head == 0x6c7275) return fieldTarget(URL)
  return length == 4 && head == 0x68746170 ? fieldTarget(PATH) : 0
}
