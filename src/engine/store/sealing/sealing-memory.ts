import { growTo, instantiate, type Memory } from '../../../base/memory/wasm.js'
import { SLACK_BYTES } from '../../../wasm-layout/memory.js'
import { emptyEntries } from '../../execute/columns/dictionary.js'
import type { Texts, TextsMemory } from '../../execute/open-batch/texts.js'
import { MAX_BATCH_ROWS } from '../segment/cold.js'
import type { InternedTexts } from './intern.js'

/** The functions that wasm/sealing exports. Addresses are in bytes. */
interface Exports {
  memory: Memory
  gather(ranges: number, count: number, at: number): number
  initDictionary(slots: number, slotCount: number, hashes: number, offsets: number, entries: number): void
  internAll(ranges: number, texts: number, codes: number): number
  hasNewlines(): number
}

/** Memory of the WebAssembly module that seals: the cold texts at the start, then workspace. */
export interface SealingMemory extends TextsMemory {
  /**
   * Returns the distinct texts of rows. The workspace begins at the address `at`. The result is valid until the next
   * call.
   */
  intern(texts: Texts, order: Uint32Array, at: number): InternedTexts
  readonly byteLength: number
}

/** The end of the memory is reserved for the start and end of each text that is gathered. */
const PAIRS = 2 * MAX_BATCH_ROWS
const RESERVED_BYTES = SLACK_BYTES + PAIRS * Uint32Array.BYTES_PER_ELEMENT
/** Growth beyond the needed bytes. The memory grows without a move, so a small share is enough. */
const EXTRA_SHARE = 1 / 4

interface State {
  exports: Exports
  /** The memory without the reserved end. */
  bytes: Uint8Array<ArrayBuffer>
  /** The reserved end. */
  pairs: Uint32Array
}

/** Returns empty memory. Throws if `sealing.wasm` is not built (`node scripts/build-wasm.mjs`). */
export function createSealingMemory(): SealingMemory {
  const exports = instantiate<Exports>(new URL('./sealing.wasm', import.meta.url), {})
  const state: State = { exports, bytes: new Uint8Array(0), pairs: new Uint32Array(0) }
  return {
    growInPlace: (length) => growInPlace(state, length),
    gather: (texts, rows, column, at) => gather(state, texts, rows, column, at),
    intern: (texts, order, at) => intern(state, texts, order, at),
    get byteLength() {
      return exports.memory.buffer.byteLength
    },
  }
}

function growInPlace(state: State, length: number): Uint8Array<ArrayBuffer> {
  if (length <= state.bytes.length) return state.bytes
  const { memory } = state.exports
  growTo(memory, Math.ceil(length * (1 + EXTRA_SHARE)) + RESERVED_BYTES)
  const { buffer } = memory
  state.bytes = new Uint8Array(buffer, 0, buffer.byteLength - RESERVED_BYTES)
  state.pairs = new Uint32Array(buffer, state.bytes.length + SLACK_BYTES, PAIRS)
  return state.bytes
}

function gather(
  { exports, pairs }: State,
  { columns, places }: Texts,
  rows: Uint32Array,
  column: number,
  at: number,
): number {
  for (let r = 0, p = 0; r < rows.length; r++) {
    const place = 2 * (rows[r] * columns + column)
    pairs[p++] = places[place]
    pairs[p++] = places[place + 1]
  }
  return exports.gather(pairs.byteOffset, rows.length, at) >>> 0
}

function intern(state: State, texts: Texts, order: Uint32Array, at: number): InternedTexts {
  const { exports } = state
  const rows = order.length
  const allocator = createAllocator(at)
  const pairsAt = allocator.words(2 * rows)
  const codesAt = allocator.words(rows)
  const slots = 2 ** Math.ceil(Math.log2(2 * rows + 2))
  const slotsAt = allocator.words(slots)
  const hashesAt = allocator.words(rows + 1)
  const offsetsAt = allocator.words(rows + 2)
  const textsAt = allocator.bytes(texts.usedBytes)
  const { offsets, bytes: entries } = emptyEntries(1, 0)
  const entriesAt = allocator.bytes(entries.length + bytesOfRows(texts, order) + rows)
  const bytes = growInPlace(state, allocator.end())
  bytes.set(texts.bytes.subarray(0, texts.usedBytes), textsAt)
  bytes.set(entries, entriesAt)
  const { buffer } = exports.memory
  new Uint32Array(buffer, offsetsAt).set(offsets)
  writePairs(new Uint32Array(buffer, pairsAt, 2 * rows), texts, order, textsAt)
  exports.initDictionary(slotsAt, slots, hashesAt, offsetsAt, entriesAt)
  const count = exports.internAll(pairsAt, rows, codesAt)
  return {
    codes: new Uint32Array(buffer, codesAt, rows),
    dictionary: {
      count,
      offsets: new Uint32Array(buffer, offsetsAt, count + 1),
      bytes: Buffer.from(buffer, entriesAt),
      hasNewlines: exports.hasNewlines() !== 0,
    },
  }
}

/** Returns successive addresses from `at` on, each aligned to 4 bytes. */
function createAllocator(at: number) {
  let next = Math.ceil(at / 4) * 4
  function bytes(length: number): number {
    const place = next
    next += Math.ceil((length + SLACK_BYTES) / 4) * 4
    return place
  }
  return { bytes, words: (length: number) => bytes(4 * length), end: () => next }
}

/** Bytes of the texts of a column, repeated texts included. */
function bytesOfRows({ places }: Texts, order: Uint32Array): number {
  let bytes = 0
  for (let i = 0; i < order.length; i++) {
    const place = 2 * order[i]
    bytes += Math.max(0, places[place + 1] - places[place])
  }
  return bytes
}

/** Writes the start and end of each text. The end of a null is below the start here too. */
function writePairs(pairs: Uint32Array, { places }: Texts, order: Uint32Array, textsAt: number): void {
  for (let i = 0, p = 0; i < order.length; i++) {
    const place = 2 * order[i]
    pairs[p++] = textsAt + places[place]
    pairs[p++] = textsAt + places[place + 1]
  }
}
