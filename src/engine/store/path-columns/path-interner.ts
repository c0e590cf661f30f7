import { randomInt } from 'node:crypto'
import { growTo, instantiate, type Memory } from '../../../base/memory/wasm.js'
import { KIB, MIB } from '../../../base/units.js'
import { SLACK_BYTES } from '../../../wasm-layout/memory.js'
import {
  ENTRY_BYTES,
  ENTRY_LENGTH,
  ENTRY_PATH,
  ENTRY_START,
  IS_COUNT,
  IS_UNFIT,
  PATH_BYTES,
  PATH_COUNT,
  PATH_FLAGS,
} from '../../../wasm-layout/path-interner.js'
import { NODE_BYTES } from '../../../wasm-layout/path-tree.js'
import type { ColdTexts } from '../../execute/columns/batch.js'
import { closeDictionary, createInterner } from '../../execute/columns/dictionary.js'
import type { FieldPath, PathValues } from '../../execute/columns/field-path.js'
import { elementCount } from '../../execute/fields/element-count.js'
import { doubleOf } from '../../execute/fields/extractor.js'
import { createPathTree, type PathTree, writeNodes } from '../../execute/fields/path-tree.js'

/** The most distinct values of all paths, and their bytes. */
const MAX_ENTRIES = 256 * KIB
const MAX_ENTRY_BYTES = 8 * MIB
/** At most half of the slots are used. */
const SLOTS = 2 * MAX_ENTRIES
const CODE_BYTES = Uint16Array.BYTES_PER_ELEMENT

/** The functions that wasm/extract exports for codes. Addresses are in bytes. */
interface Exports {
  memory: Memory
  memoryStart(): number
  setPaths(tree: number, nodes: number, count: number, stack: number): void
  initInterner(
    slots: number,
    slotCount: number,
    seed: number,
    entries: number,
    entryCount: number,
    bytes: number,
    byteCount: number,
    states: number,
  ): void
  internRows(ranges: number, rows: number, codes: number, stride: number, scratch: number): number
}

/**
 * Reads the values of paths in the metadata of all rows of a segment as codes, in a single walk. A path has at most 512
 * distinct values of 1 KiB, or integers of two bytes. The values of any other path are given up.
 */
export interface PathInterner {
  /** Returns memory for the texts of some rows, valid until the next call. */
  textMemory(bytes: number): Uint8Array<ArrayBuffer>
  /** Adds the rows of texts in the text memory. */
  add(texts: ColdTexts): void
  /** Returns the values of each path. Undefined if they were given up, or if there is none. */
  fields(): (PathValues | undefined)[]
}

/** The addresses of the tables of an interner. */
interface Places {
  slots: number
  entries: number
  bytes: number
  states: number
  nodes: number
  keys: number
  pathEnds: number
  stack: number
  codes: number
  /** The start of the memory that grows. */
  rest: number
}

interface State {
  readonly exports: Exports
  readonly paths: readonly FieldPath[]
  readonly rows: number
  readonly places: Places
  /** The number of all distinct values. */
  count: number
}

/** Returns an interner for a segment of `rows` rows. Throws if the module is not built. */
export function createPathInterner(paths: readonly FieldPath[], rows: number): PathInterner {
  const exports: Exports = instantiate<Exports>(new URL('./intern.wasm', import.meta.url), {
    host: {
      doubleOf: (start: number, end: number) => doubleOf(exports.memory, start, end),
      elementCount: (start: number, end: number) => {
        const count = elementCount(new Uint8Array(exports.memory.buffer), start, end)
        return count === 'other' ? 2 : count
      },
    },
  })
  const tree = createPathTree(paths.map(({ keys }) => keys))
  const places = placesOf(exports.memoryStart(), tree, rows)
  const state: State = { exports, paths, rows, places, count: 0 }
  growTo(exports.memory, places.rest + SLACK_BYTES)
  writeTree(state, tree)
  const seed = randomInt(2 ** 32)
  const { slots, entries, bytes, states } = places
  exports.initInterner(slots, SLOTS, seed, entries, MAX_ENTRIES, bytes, MAX_ENTRY_BYTES, states)
  return {
    textMemory: (length) => textMemory(state, length),
    add: (texts) => add(state, texts),
    fields: () => fieldsOf(state),
  }
}

function placesOf(start: number, tree: PathTree, rows: number): Places {
  let next = start
  const place = (bytes: number) => {
    const at = next
    next = aligned(next + bytes)
    return at
  }
  const paths = tree.paths.length
  return {
    slots: place(SLOTS * Uint32Array.BYTES_PER_ELEMENT),
    entries: place(MAX_ENTRIES * ENTRY_BYTES),
    bytes: place(MAX_ENTRY_BYTES + SLACK_BYTES),
    states: place(paths * PATH_BYTES),
    nodes: place(tree.nodes.length * NODE_BYTES),
    keys: place(tree.keys.length + SLACK_BYTES),
    pathEnds: place(paths * Uint32Array.BYTES_PER_ELEMENT),
    stack: place(tree.stackBytes),
    codes: place(paths * rows * CODE_BYTES),
    rest: next,
  }
}

const aligned = (address: number) => Math.ceil(address / 8) * 8

function writeTree({ exports, paths, places }: State, tree: PathTree): void {
  const { buffer } = exports.memory
  writeNodes(tree, new DataView(buffer, places.nodes), places.nodes, places.keys)
  new Uint8Array(buffer, places.keys).set(tree.keys)
  const ends = new Uint32Array(buffer, places.pathEnds, paths.length)
  const states = new DataView(buffer, places.states)
  for (const [path, { isCount }] of paths.entries()) {
    ends[path] = places.nodes + tree.ends[path] * NODE_BYTES
    states.setUint32(path * PATH_BYTES + PATH_FLAGS, isCount ? IS_COUNT : 0, true)
  }
  exports.setPaths(places.nodes, places.pathEnds, paths.length, places.stack)
}

/** The texts, then the range of each, then memory of the same size for decoded texts. */
function textMemory({ exports: { memory }, places: { rest } }: State, bytes: number): Uint8Array<ArrayBuffer> {
  growTo(memory, rest + bytes + SLACK_BYTES)
  return new Uint8Array(memory.buffer, rest, bytes)
}

function add(state: State, { from, to, offsets, bytes }: ColdTexts): void {
  const { exports, places, rows } = state
  const { memory, internRows } = exports
  const ranges = aligned(places.rest + bytes.length + SLACK_BYTES)
  const scratch = aligned(ranges + 2 * (to - from) * Uint32Array.BYTES_PER_ELEMENT)
  growTo(memory, scratch + bytes.length + SLACK_BYTES)
  const pairs = new Uint32Array(memory.buffer, ranges, 2 * (to - from))
  for (let row = 0; row < to - from; row++) {
    pairs[2 * row] = places.rest + offsets[row]
    pairs[2 * row + 1] = places.rest + offsets[row + 1]
  }
  state.count = internRows(ranges, to - from, places.codes + from * CODE_BYTES, rows * CODE_BYTES, scratch)
}

function fieldsOf(state: State): (PathValues | undefined)[] {
  const { exports, paths, rows, places, count } = state
  const { buffer } = exports.memory
  const entries = new DataView(buffer, places.entries)
  const bytes = new Uint8Array(buffer)
  const dictionaries = paths.map(({ isCount }) => (isCount ? countEntries() : createInterner()))
  for (let entry = 0; entry < count; entry++) {
    const numberAt = (place: number) => entries.getUint32(entry * ENTRY_BYTES + place, true)
    const start = numberAt(ENTRY_START)
    dictionaries[numberAt(ENTRY_PATH)].intern(bytes, start, start + numberAt(ENTRY_LENGTH))
  }
  const states = new DataView(buffer, places.states)
  return paths.map(({ isCount }, path) => {
    const flags = states.getUint32(path * PATH_BYTES + PATH_FLAGS, true)
    const values = states.getUint32(path * PATH_BYTES + PATH_COUNT, true)
    const codes = new Uint16Array(buffer, places.codes + path * rows * CODE_BYTES, rows)
    if ((flags & IS_UNFIT) !== 0 || (isCount ? !codes.some((code) => code > 0) : values === 0)) return undefined
    const dictionary = closeDictionary(dictionaries[path])
    return { codes: dictionary.count <= 2 ** 8 ? new Uint8Array(codes) : codes.slice(), entries: dictionary }
  })
}

/** The entries of the codes ONE_ELEMENT and OTHER_ELEMENTS (src/wasm-layout/path-interner.ts). */
function countEntries() {
  const entries = createInterner()
  for (const text of ['1', '"other']) entries.intern(Buffer.from(text), 0, text.length)
  return entries
}
