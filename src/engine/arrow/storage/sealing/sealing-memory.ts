import { growTo, instantiate, type Memory } from '../../../../base/wasm.js'
import { SLACK_BYTES } from '../../../../wasm-layout/memory.js'
import { emptyEntries } from '../../columns/dictionary.js'
import type { Texts, TextsMemory } from '../head/texts.js'
import { MAX_BATCH_ROWS } from '../segment/cold.js'
import type { InternedTexts } from './intern.js'

/** The doors of wasm/sealing. Addresses are numbers of bytes. */
interface Exports {
  memory: Memory
  gather(ranges: number, count: number, at: number): number
  initDictionary(slots: number, slotCount: number, hashes: number, offsets: number, entries: number): void
  internAll(ranges: number, texts: number, codes: number): number
  hasNewlines(): number
}

/** Memory of a WebAssembly module that seals: cold texts stand at its start, and behind them is room to work. */
export interface SealingMemory extends TextsMemory {
  /** The distinct texts of rows, found in memory from `at` on; they are there until it is used again. */
  intern(texts: Texts, order: Uint32Array, at: number): InternedTexts
  readonly byteLength: number
}

/** Behind all: where those texts stand that are gathered, start and end of each. */
const PAIRS = 2 * MAX_BATCH_ROWS
const RESERVED_BYTES = SLACK_BYTES + PAIRS * Uint32Array.BYTES_PER_ELEMENT
/** It grows where it stands, so that little room ahead will do. */
const AHEAD_SHARE = 1 / 4

/** Empty memory. Throws if `sealing.wasm` was not built (`node scripts/build-wasm.mjs`). */
export function createSealingMemory(): SealingMemory {
  const { memory, gather, initDictionary, internAll, hasNewlines } = instantiate<Exports>(
    new URL('./sealing.wasm', import.meta.url),
    {},
  )
  let bytes = new Uint8Array(0)
  let pairs = new Uint32Array(0)

  function growInPlace(length: number): Uint8Array<ArrayBuffer> {
    if (length <= bytes.length) return bytes
    growTo(memory, Math.ceil(length * (1 + AHEAD_SHARE)) + RESERVED_BYTES)
    const { buffer } = memory
    bytes = new Uint8Array(buffer, 0, buffer.byteLength - RESERVED_BYTES)
    pairs = new Uint32Array(buffer, bytes.length + SLACK_BYTES, PAIRS)
    return bytes
  }

  return {
    growInPlace,
    gather({ columns, places }, rows, column, at) {
      for (let r = 0, p = 0; r < rows.length; r++) {
        const place = 2 * (rows[r]! * columns + column)
        pairs[p++] = places[place]!
        pairs[p++] = places[place + 1]!
      }
      return gather(pairs.byteOffset, rows.length, at) >>> 0
    },
    intern(texts, order, at) {
      const rows = order.length
      const places = createPlaces(at)
      const pairsAt = places.words(2 * rows)
      const codesAt = places.words(rows)
      const slots = 2 ** Math.ceil(Math.log2(2 * rows + 2))
      const slotsAt = places.words(slots)
      const hashesAt = places.words(rows + 1)
      const offsetsAt = places.words(rows + 2)
      const textsAt = places.bytes(texts.usedBytes)
      const { offsets, bytes: entries } = emptyEntries(1, 0)
      const entriesAt = places.bytes(entries.length + bytesOfRows(texts, order) + rows)
      growInPlace(places.end())
      bytes.set(texts.bytes.subarray(0, texts.usedBytes), textsAt)
      bytes.set(entries, entriesAt)
      const { buffer } = memory
      new Uint32Array(buffer, offsetsAt).set(offsets)
      writePairs(new Uint32Array(buffer, pairsAt, 2 * rows), texts, order, textsAt)
      initDictionary(slotsAt, slots, hashesAt, offsetsAt, entriesAt)
      const count = internAll(pairsAt, rows, codesAt)
      return {
        codes: new Uint32Array(buffer, codesAt, rows),
        dictionary: {
          count,
          offsets: new Uint32Array(buffer, offsetsAt, count + 1),
          bytes: Buffer.from(buffer, entriesAt),
          hasNewlines: hasNewlines() !== 0,
        },
      }
    },
    get byteLength() {
      return memory.buffer.byteLength
    },
  }
}

/** Gives out addresses from `at` on, each even for 32-bit integers. */
function createPlaces(at: number) {
  let next = Math.ceil(at / 4) * 4
  function bytes(length: number): number {
    const place = next
    next += Math.ceil((length + SLACK_BYTES) / 4) * 4
    return place
  }
  return { bytes, words: (length: number) => bytes(4 * length), end: () => next }
}

/** Bytes of the texts of one column, a text as often as it is there. */
function bytesOfRows({ places }: Texts, order: Uint32Array): number {
  let bytes = 0
  for (let i = 0; i < order.length; i++) {
    const place = 2 * order[i]!
    bytes += Math.max(0, places[place + 1]! - places[place]!)
  }
  return bytes
}

/** A null ends before it starts there, too. */
function writePairs(pairs: Uint32Array, { places }: Texts, order: Uint32Array, textsAt: number): void {
  for (let i = 0, p = 0; i < order.length; i++) {
    const place = 2 * order[i]!
    pairs[p++] = textsAt + places[place]!
    pairs[p++] = textsAt + places[place + 1]!
  }
}
