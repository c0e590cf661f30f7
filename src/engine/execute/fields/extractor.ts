import { growTo, instantiate, type Memory } from '../../../base/memory/wasm.js'
import { latin1 } from '../../../base/text/ascii.js'
import { SLACK_BYTES } from '../../../wasm-layout/memory.js'
import { NODE_BYTES } from '../../../wasm-layout/path-tree.js'
import { createPathTree, type Path, type PathTree, writeNodes } from './path-tree.js'

/** The most paths of a walk. */
export const MAX_PATHS = 64

/** The module needs addresses that are positive as 32-bit integers with a sign. */
const MAX_MEMORY_BYTES = 2 ** 31

/**
 * Where texts are in the text memory: text r is the bytes [starts[r], ends[r]). For adjacent texts, as in Arrow,
 * `starts` are the offsets and `ends` the offsets from the second on.
 */
interface TextRanges {
  readonly starts: Int32Array
  readonly ends: Int32Array
}

/** The values of some paths in some rows: path p in the i-th wanted row is at the index i * (number of paths) + p. */
export interface Extracted {
  /** ABSENT, TEXT, NUMBER, BOOLEAN or JSON_VALUE (src/wasm-layout/values.ts). */
  readonly kinds: Uint8Array
  /**
   * The first byte in `bytes`: of the decoded text, after a quote, or of the value as spelled in the metadata.
   * Undefined if absent.
   */
  readonly starts: Uint32Array
  /** The byte after the last byte of the value. */
  readonly ends: Uint32Array
  readonly bytes: Uint8Array
}

/**
 * Reads JSON paths from many metadata texts in a single walk. The memory of an extractor grows to the need of the
 * largest call, about twice the bytes of the texts, and never shrinks. Both functions throw a RangeError for a need of
 * more than 2 GiB.
 */
export interface Extractor {
  /**
   * Returns memory for texts, to which the caller writes the metadata of some rows. The view is valid until the next
   * call of either function. The texts stay for any number of calls of `extract`.
   */
  textMemory(bytes: number): Uint8Array<ArrayBuffer>
  /**
   * Returns the values of `paths` in the texts of `rows`. The result is valid until the next call of either function.
   *
   * A path leads through objects, and through a list by its first element, if that element is an object. The metadata
   * too may be a list. The last of equal keys counts, as a whole. Keys compare decoded. Null and a number beyond the
   * range of doubles are absent. Lone surrogates of a decoded text are U+FFFD. The texts must be valid JSON, else the
   * values are undefined.
   *
   * A call costs less if `paths` is the same array as in the last call. Throws a TypeError for more than MAX_PATHS
   * paths, and a RangeError for a text outside of the text memory.
   */
  extract(paths: readonly Path[], texts: TextRanges, rows: Uint32Array): Extracted
}

/** The functions that wasm/extract exports. Addresses are in bytes. */
interface Exports {
  memory: Memory
  memoryStart(): number
  setPaths(tree: number, nodes: number, count: number, stack: number): void
  extract(ranges: number, rows: number, kinds: number, starts: number, ends: number, scratch: number): void
}

interface State {
  readonly exports: Exports
  /** Address of the text memory. */
  readonly texts: number
  /** Bytes of the text memory. */
  capacity: number
  /** The tree of the last call. */
  tree: PathTree
}

/** Returns an extractor. Throws if `extract.wasm` is not built (`node scripts/build-wasm.mjs`). */
export function createExtractor(): Extractor {
  const exports = instantiate<Exports>(new URL('./extract.wasm', import.meta.url), {
    host: { doubleOf: (start: number, end: number) => doubleOf(exports.memory, start, end) },
  })
  const state: State = { exports, texts: exports.memoryStart(), capacity: 0, tree: createPathTree([]) }
  return {
    textMemory: (bytes) => textMemory(state, bytes),
    extract: (paths, texts, rows) => extract(state, paths, texts, rows),
  }
}

/** Returns the JSON number [start, end) of a memory as the nearest double, NaN if that is not finite. */
export function doubleOf({ buffer }: Memory, start: number, end: number): number {
  const value = Number(latin1(new Uint8Array(buffer), start, end))
  return Number.isFinite(value) ? value : Number.NaN
}

function textMemory(state: State, bytes: number): Uint8Array<ArrayBuffer> {
  const { memory } = state.exports
  const capacity = Math.max(state.capacity, bytes)
  reserve(memory, state.texts + capacity + SLACK_BYTES)
  state.capacity = capacity
  return new Uint8Array(memory.buffer, state.texts, bytes)
}

function reserve(memory: Memory, bytes: number): void {
  if (bytes > MAX_MEMORY_BYTES) throw new RangeError(`${bytes} bytes, but at most ${MAX_MEMORY_BYTES} in one call`)
  growTo(memory, bytes)
}

function extract(state: State, paths: readonly Path[], texts: TextRanges, rows: Uint32Array): Extracted {
  if (paths.length > MAX_PATHS) throw new TypeError(`${paths.length} paths, but at most ${MAX_PATHS} in one walk`)
  const { exports } = state
  const { memory } = exports
  if (state.tree.paths !== paths) state.tree = createPathTree(paths)
  const places = placesOf(state, rows.length)
  reserve(memory, places.scratch + bytesOfTexts(texts, rows, state.capacity) + SLACK_BYTES)
  const { buffer } = memory
  writeTree(state.tree, buffer, places)
  exports.setPaths(places.nodes, places.pathEnds, paths.length, places.stack)
  writeRanges(new Uint32Array(buffer, places.ranges, 2 * rows.length), texts, rows, state.texts)
  exports.extract(places.ranges, rows.length, places.kinds, places.starts, places.ends, places.scratch)
  const values = rows.length * paths.length
  return {
    kinds: new Uint8Array(buffer, places.kinds, values),
    starts: new Uint32Array(buffer, places.starts, values),
    ends: new Uint32Array(buffer, places.ends, values),
    bytes: new Uint8Array(buffer),
  }
}

type Places = ReturnType<typeof placesOf>

/** Places all parts except the texts, behind the texts, each part at a multiple of 8. */
function placesOf({ texts, capacity, tree }: State, rows: number) {
  let next = Math.ceil((texts + capacity + SLACK_BYTES) / 8) * 8
  function place(bytes: number): number {
    const at = next
    next += Math.ceil(bytes / 8) * 8
    return at
  }
  const values = rows * tree.paths.length
  return {
    nodes: place(tree.nodes.length * NODE_BYTES),
    keys: place(tree.keys.length + SLACK_BYTES),
    pathEnds: place(4 * tree.ends.length),
    stack: place(tree.stackBytes),
    ranges: place(8 * rows),
    kinds: place(values),
    starts: place(4 * values),
    ends: place(4 * values),
    scratch: next,
  }
}

function writeTree(tree: PathTree, buffer: ArrayBuffer, { nodes, keys, pathEnds }: Places): void {
  writeNodes(tree, new DataView(buffer, nodes), nodes, keys)
  new Uint8Array(buffer, keys).set(tree.keys)
  const ends = new Uint32Array(buffer, pathEnds, tree.ends.length)
  for (const [path, number] of tree.ends.entries()) ends[path] = nodes + number * NODE_BYTES
}

/** Bytes of the texts of some rows. Throws a RangeError for a text outside of the text memory. */
function bytesOfTexts({ starts, ends }: TextRanges, rows: Uint32Array, capacity: number): number {
  let bytes = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]
    const start = starts[row]
    const end = ends[row]
    // False for a row without a text too.
    if (!(start >= 0 && start <= end && end <= capacity)) {
      throw new RangeError(`text of row ${row}: bytes [${start}, ${end}) of a text memory of ${capacity}`)
    }
    bytes += end - start
  }
  return bytes
}

function writeRanges(ranges: Uint32Array, { starts, ends }: TextRanges, rows: Uint32Array, at: number): void {
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]
    ranges[2 * i] = at + starts[row]
    ranges[2 * i + 1] = at + ends[row]
  }
}
