import { ByteReader } from '../../base/memory/byte-reader.js'
import { ByteWriter } from '../../base/memory/byte-writer.js'
import { entryOf } from '../../engine/execute/columns/dictionary.js'
import { KeyBytes, readKeys } from '../../engine/execute/columns/key-bytes.js'
import type { Aggregation } from '../../engine/execute/grouping/aggregate.js'
import { createGroups, type Groups, statesOf } from '../../engine/execute/grouping/groups.js'
import { createStatesCodec } from '../../engine/execute/grouping/states-codec.js'
import type { LineFault } from '../scan/scan-block.js'
import type { SortedRow } from './block-rows.js'

/** The lines of a block that are no rows, and the rows without a readable time. */
export interface LineCounts {
  faults: ReadonlyMap<LineFault, number>
  unreadableTimes: number
}

/** The result of a stage over a block, as a thread sends it. */
export interface BlockResult extends LineCounts {
  /** The memory of the block, for a later block. */
  memory: ArrayBuffer
  /** Rows in the format of the answer. */
  text?: Uint8Array<ArrayBuffer>
  /** Rows of an order, see {@link readSortedRows}. */
  sorted?: Uint8Array<ArrayBuffer>
}

const keyBytes = new KeyBytes()

/** Returns rows of an order as bytes. */
export function writeSortedRows(rows: readonly SortedRow[]): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter()
  for (const { keys, row, values } of rows) {
    keyBytes.clear()
    for (const value of [row, ...keys, ...values]) keyBytes.add(value)
    out.addSized(keyBytes.bytes.subarray(0, keyBytes.length))
  }
  return new Uint8Array(out.view)
}

/** Reads the rows that {@link writeSortedRows} wrote, which have so many keys and values. */
export function readSortedRows(bytes: Uint8Array, keyCount: number, valueCount: number): SortedRow[] {
  const reader = new ByteReader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const rows: SortedRow[] = []
  while (!reader.isAtEnd) {
    const [row, ...all] = readKeys(reader.readSized(), 1 + keyCount + valueCount)
    rows.push({ row: row as number, keys: all.slice(0, keyCount), values: all.slice(keyCount) })
  }
  return rows
}

/** Returns groups as bytes. Throws a TypeError if the states of an aggregate cannot be written. */
export function writeGroups({ keys, states }: Groups, aggregation: Aggregation): Uint8Array<ArrayBuffer> {
  const codec = createStatesCodec(aggregation)
  const out = new ByteWriter()
  for (const [code, one] of states.entries()) {
    out.addSized(entryOf(keys, code))
    out.addSized(codec.write(one))
  }
  return new Uint8Array(out.view)
}

/** Reads the groups that {@link writeGroups} wrote. */
export function readGroups(bytes: Uint8Array, aggregation: Aggregation): Groups {
  const codec = createStatesCodec(aggregation)
  const reader = new ByteReader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const groups = createGroups()
  while (!reader.isAtEnd) {
    const key = reader.readSized()
    const states = statesOf(groups, key, 0, key.length, aggregation)
    states.splice(0, states.length, ...codec.read(reader.readSized()))
  }
  return groups
}

/** Whether {@link writeGroups} can write the states of an aggregation. */
export function canWriteGroups(aggregation: Aggregation): boolean {
  try {
    createStatesCodec(aggregation)
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}
