import { ensureCapacity } from '../../../base/memory/growable.js'
import { Interner } from '../../../base/memory/interner.js'
import type { Scalar } from '../../../plan/values/values.js'
import type { Block } from '../batches/blocks.js'
import { entryOf } from '../columns/dictionary.js'
import { KeyBytes } from '../columns/key-bytes.js'
import { rowAt, type Selection, slice } from '../columns/selection.js'
import type { Frame } from '../expressions/frame.js'
import type { Coded, Constant, Numbers, Spans, Vector } from '../expressions/vector.js'
import { bucketSpans } from './bucket-spans.js'
import type { OrderedRows } from './stretch.js'

/** Rows of a block. The rows of each group are next to each other. */
export interface GroupedRows {
  rows: OrderedRows
  /** Group i has the rows [ends[i - 1], ends[i]). */
  ends: ArrayLike<number>
  /** Appends the keys of group i to bytes. */
  addKeys(group: number, bytes: KeyBytes): void
}

/** The values of a key in a block: dense ids in the rows, and the value of each id. */
interface KeyIds {
  ids: Uint32Array
  count: number
  add(id: number, bytes: KeyBytes): void
}

/** Puts the rows of a block in the order of their groups. Rows of a group keep their order. */
export function groupRows(frame: Frame, keys: readonly Vector[], block: Block): GroupedRows {
  const [first, ...others] = keys
  if (first === undefined) return oneGroup(frame, block)
  if (others.length === 0 && isWhole(frame, block)) {
    if (first.kind === 'spans') return groupedSpans(frame, first)
    if (first.kind === 'entries' && first.stored?.column.ascends) return groupedRuns(frame, first)
  }
  const each = keys.map((key) => idsOf(frame, key, block))
  const { ids, count, parts } = combine(each, block.to - block.from)
  const { positions, ends } = sortByIds(ids, count, block.from)
  return {
    rows: orderedRows(frame, positions),
    ends,
    addKeys: (group, bytes) => {
      for (let i = 0; i < each.length; i++) each[i].add(parts[group * each.length + i], bytes)
    },
  }
}

const isWhole = ({ rows }: Frame, { from, to }: Block) => from === 0 && to === rows

/** Without keys all rows are in a single group. */
function oneGroup({ stored }: Frame, { from, to }: Block): GroupedRows {
  const selection = stored && (from === 0 ? stored.selection : slice(stored.selection, from, to))
  const rows: OrderedRows = { positions: undefined, from, selection }
  return { rows, ends: [to - from], addKeys: () => {} }
}

/** Stored rows grouped by buckets of time alone: spans, without a look at each row. A bucket may have several spans. */
function groupedSpans({ stored }: Frame, { bucket }: Spans): GroupedRows {
  const { batch, selection } = stored!
  const { bucketsUs, ends } = bucketSpans(batch, selection, bucket)
  return {
    rows: { positions: undefined, from: 0, selection },
    ends,
    addKeys: (span, bytes) => bytes.add(bucket.valueOf(bucketsUs[span])),
  }
}

/** Stored rows grouped by a column with ascending codes: the rows of each code are adjacent. */
function groupedRuns({ stored, rows }: Frame, entries: Coded): GroupedRows {
  const { codes } = entries
  const { selection } = stored!
  const found: number[] = []
  const ends: number[] = []
  let last = -1
  for (let position = 0; position < rows; position++) {
    const code = codes[rowAt(selection, position)]
    if (code === last) continue
    if (position > 0) ends.push(position)
    found.push(code)
    last = code
  }
  ends.push(rows)
  return {
    rows: { positions: undefined, from: 0, selection },
    ends,
    addKeys: (run, bytes) => addEntry(entries, found[run], bytes),
  }
}

function idsOf(frame: Frame, key: Vector, block: Block): KeyIds {
  switch (key.kind) {
    case 'spans':
      return idsOfSpans(frame, key, block)
    case 'constant':
      return idsOfConstant(key, block)
    case 'entries':
      return idsOfCodes(frame, key, block)
    case 'numbers':
      return key.coded === undefined ? idsOfNumbers(key, block) : idsOfCodes(frame, key.coded, block)
    case 'times':
    case 'areas':
    case 'bits':
    case 'computed':
      return idsOfValues(key, block)
  }
}

const idsOfConstant = ({ at }: Constant, { from, to }: Block): KeyIds => ({
  ids: new Uint32Array(to - from),
  count: 1,
  add: (_, bytes) => bytes.add(at(from)),
})

/** Stored numbers, without key bytes: a whole batch takes little time. */
function idsOfNumbers({ at }: Numbers, { from, to }: Block): KeyIds {
  const idByNumber = new Map<Scalar, number>()
  const ids = new Uint32Array(to - from)
  for (let position = from; position < to; position++) {
    const value = at(position)
    let id = idByNumber.get(value)
    if (id === undefined) {
      id = idByNumber.size
      idByNumber.set(value, id)
    }
    ids[position - from] = id
  }
  const numbers = [...idByNumber.keys()]
  return { ids, count: numbers.length, add: (id, bytes) => bytes.add(numbers[id]) }
}

function idsOfSpans({ stored }: Frame, { bucket }: Spans, { from: first, to }: Block): KeyIds {
  const { batch, selection } = stored!
  const { bucketsUs, ends } = bucketSpans(batch, slice(selection, first, to), bucket)
  const ids = new Uint32Array(to - first)
  const idByBucket = new Map<number, number>()
  let from = 0
  bucketsUs.forEach((bucketUs, span) => {
    const id = idByBucket.get(bucketUs) ?? idByBucket.size
    idByBucket.set(bucketUs, id)
    ids.fill(id, from, ends[span])
    from = ends[span]
  })
  const buckets = [...idByBucket.keys()]
  return { ids, count: buckets.length, add: (id, bytes) => bytes.add(bucket.valueOf(buckets[id])) }
}

/** The number that each code got in the last block with that code. Numbers count on from block to block of a frame. */
const numbersByEntries = new WeakMap<Coded, { numberByCode: Uint32Array<ArrayBuffer>; last: number }>()
/** Codes for which memory is allocated at first: most small integers are below. */
const FIRST_CODES = 1024

/** Codes become dense ids of the block. */
function idsOfCodes({ stored }: Frame, entries: Coded, { from, to }: Block): KeyIds {
  const { codes } = entries
  const { selection } = stored!
  const known = numbersByEntries.get(entries) ?? { numberByCode: new Uint32Array(FIRST_CODES), last: 0 }
  numbersByEntries.set(entries, known)
  let { numberByCode } = known
  const lastBefore = known.last
  const found: number[] = []
  const ids = new Uint32Array(to - from)
  for (let position = from; position < to; position++) {
    const code = codes[rowAt(selection, position)]
    if (code >= numberByCode.length) numberByCode = ensureCapacity(numberByCode, numberByCode.length, code + 1)
    // Numbers up to `lastBefore` are of other blocks.
    if (numberByCode[code] <= lastBefore) numberByCode[code] = lastBefore + found.push(code)
    ids[position - from] = numberByCode[code] - lastBefore - 1
  }
  known.numberByCode = numberByCode
  known.last = lastBefore + found.length
  return { ids, count: found.length, add: (id, bytes) => addEntry(entries, found[id], bytes) }
}

function addEntry(entries: Coded, code: number, bytes: KeyBytes): void {
  if (entries.addKey === undefined) bytes.add(entries.valueOf(code))
  else entries.addKey(code, bytes)
}

function idsOfValues({ at }: Vector, { from, to }: Block): KeyIds {
  const interner = new Interner()
  const scratch = new KeyBytes()
  const ids = new Uint32Array(to - from)
  for (let position = from; position < to; position++) {
    scratch.clear()
    scratch.add(at(position))
    ids[position - from] = interner.intern(scratch.bytes, 0, scratch.length)
  }
  return { ids, count: interner.count, add: (id, bytes) => bytes.addBytes(entryOf(interner, id)) }
}

/** Dense ids for the combinations of ids that occur. `parts` has the ids of each combination, one behind the other. */
function combine(keys: readonly KeyIds[], rows: number): { ids: Uint32Array; count: number; parts: ArrayLike<number> } {
  const [first, ...others] = keys
  let { ids, count } = first!
  let parts: ArrayLike<number> = identity(count)
  let width = 1
  for (const next of others) {
    const { combined, pairs } = pairsOf(ids, count, next, rows)
    const nextParts = new Uint32Array(pairs.length * (width + 1))
    let at = 0
    for (const pair of pairs) {
      const before = Math.floor(pair / next.count)
      for (let part = 0; part < width; part++) nextParts[at++] = parts[before * width + part]
      nextParts[at++] = pair % next.count
    }
    ids = combined
    count = pairs.length
    parts = nextParts
    width++
  }
  return { ids, count, parts }
}

/** A table of all pairs is used if there are at most this many pairs, or a few pairs for each row. */
const MOST_PAIRS = 4096
const PAIRS_A_ROW = 4

/** Dense ids for the pairs of ids that occur: a pair is `id * next.count + id of next`. */
function pairsOf(ids: Uint32Array, count: number, next: KeyIds, rows: number) {
  const combined = new Uint32Array(rows)
  const pairs: number[] = []
  const all = count * next.count
  if (all <= Math.max(MOST_PAIRS, PAIRS_A_ROW * rows)) {
    const idAfterPair = new Uint32Array(all)
    for (let i = 0; i < rows; i++) {
      const pair = ids[i] * next.count + next.ids[i]
      if (idAfterPair[pair] === 0) idAfterPair[pair] = pairs.push(pair)
      combined[i] = idAfterPair[pair] - 1
    }
    return { combined, pairs }
  }
  const idByPair = new Map<number, number>()
  for (let i = 0; i < rows; i++) {
    const pair = ids[i] * next.count + next.ids[i]
    let id = idByPair.get(pair)
    if (id === undefined) {
      id = pairs.push(pair) - 1
      idByPair.set(pair, id)
    }
    combined[i] = id
  }
  return { combined, pairs }
}

const identity = (count: number) => Uint32Array.from({ length: count }, (_, i) => i)

/** Sorts positions by their ids: counts each id, then places each position. */
function sortByIds(ids: Uint32Array, count: number, from: number): { positions: Uint32Array; ends: Uint32Array } {
  const ends = new Uint32Array(count)
  for (let i = 0; i < ids.length; i++) ends[ids[i]]++
  let start = 0
  for (let id = 0; id < count; id++) {
    const rows = ends[id]
    ends[id] = start
    start += rows
  }
  // The place of each id moves from the start of the id's rows to the end.
  const positions = new Uint32Array(ids.length)
  for (let i = 0; i < ids.length; i++) positions[ends[ids[i]]++] = from + i
  return { positions, ends }
}

/** Rows in the order of some positions. The selection of the rows is made on the first read. */
function orderedRows({ stored }: Frame, positions: Uint32Array): OrderedRows {
  let made: Selection | undefined
  return {
    positions,
    from: 0,
    get selection() {
      if (stored !== undefined) made ??= selectionOf(stored.selection, positions)
      return made
    },
  }
}

function selectionOf(selection: Selection, positions: Uint32Array): Selection {
  const indices = positions.map((position) => rowAt(selection, position))
  return { kind: 'indices', indices, timeOrdered: false }
}
