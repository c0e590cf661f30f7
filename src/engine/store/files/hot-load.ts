import { crc32 } from 'node:zlib'
import { DataType, type Field } from 'apache-arrow'
import { type BatchLayout, decodeLayout, decodeMessage, type FileEnd } from '../../../arrow-ipc/file.js'
import { createYielder } from '../../../base/scheduling/time-slices.js'
import { ALL_IN_METADATA, hotColumns, IN_METADATA } from '../../../common/columns.js'
import type { SourceName } from '../../../common/sources.js'
import type { Files, ReadableFile } from '../../disk/files/files.js'
import { type Column, type InMetadata, sealedTexts } from '../../execute/columns/batch.js'
import { type Codes, type Dictionary, withGrams } from '../../execute/columns/dictionary.js'
import type { ProjectIndex, SegmentData } from '../segment/segment.js'
import { fromBuffer } from '../segment/zstd.js'
import {
  type ColumnAside,
  decodeAside,
  decodeFirstAside,
  decodeGrams,
  FIRST_OWN,
  piecesOfFirst,
} from './column-aside.js'
import { damaged } from './damage.js'
import { readEnd, readInto, readLast, withFile } from './ends.js'
import { fromEntries } from './entries.js'
import { factsOf, type SegmentFacts } from './facts.js'
import {
  absentNumbers,
  fromAreas,
  fromIndices,
  fromNumbers,
  fromProjects,
  type ReadColumn,
  StoredTimes,
} from './hot-columns.js'
import { type BytesAt, type NamedPiece, readPieces } from './pieces.js'
import { type Scratch, withScratch } from './scratch.js'

/** The hot columns of a segment, in their form in memory. */
export type HotColumns = Pick<SegmentData, 'times' | 'projects' | 'columns' | 'inMetadata'>

/** Names of own columns. Undefined means all own columns of the file and of the source. */
export type WantedColumns = ReadonlySet<string> | undefined

/** A hot file, of which some columns were read and match their checksums. */
interface HotFile {
  facts: SegmentFacts
  fields: readonly Field[]
  aside: ColumnAside
  bytesAt: BytesAt
  scratch: Scratch
}

/** Returns the facts in a hot file, and the size of the file. Reads only the end of the file. */
export function readFacts(files: Files, path: string): Promise<{ facts: SegmentFacts; fileBytes: number }> {
  return withFile(files, path, async (file) => {
    const facts = factsOf((await readEnd(file, path)).schema, path)
    return { facts, fileBytes: file.bytes }
  })
}

/**
 * Loads times, projects, bit sets and the wanted columns, as far as the file has these columns: numbers that are later
 * are absent. Costs reading and decompressing these columns and a loop over each. apache-arrow's reader would copy each
 * buffer once more, which takes twice as long. Rejects with `damaged_segment`, also if only such a column is damaged,
 * or with `newer_format`.
 */
export function loadHot(files: Files, path: string, wanted?: WantedColumns): Promise<HotColumns> {
  return withScratch(async (scratch) => {
    const hot = await withFile(files, path, (file) => readColumns(file, path, scratch, ALWAYS_READ, wanted))
    const layout = layoutOf(hot)
    const times = new StoredTimes(ownCopy(bufferOf(hot, layout, 1)), hot.facts)
    const projects = fromProjects(readColumn(hot, layout, 1, scratch.take), readDictionary(hot, 1))
    return {
      times,
      projects,
      columns: await decodeColumns(hot, layout, wanted),
      inMetadata: decodeBitSets(hot, layout),
    }
  })
}

/** Returns a copy in memory that can be freed. `Buffer.from` would share the memory of a short copy with others. */
function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

/** The columns of every load. */
const ALWAYS_READ = ['timestamp', 'project', IN_METADATA]

/** Returns the names of the own columns in a hot file. Reads only the end of the file. Rejects as {@link readFacts}. */
export function readColumnNames(files: Files, path: string): Promise<string[]> {
  return withFile(files, path, async (file) => {
    const { fields } = (await readEnd(file, path)).schema
    return indicesOf(fields, undefined).map((i) => fields[i].name)
  })
}

/** Returns the stored code of each row's project. A load relies on ascending codes. */
export function readProjectCodes(files: Files, path: string): Promise<Codes> {
  return withScratch(async (scratch) => {
    const hot = await withFile(files, path, (file) => readColumns(file, path, scratch, ['project'], NO_COLUMNS))
    return fromIndices(readColumn(hot, layoutOf(hot), 1))
  })
}

/** Loads the index of projects alone. Rejects as {@link loadHot} does. */
export function loadProjects(files: Files, path: string): Promise<ProjectIndex> {
  return withScratch(async (scratch) => {
    const hot = await withFile(files, path, (file) => readColumns(file, path, scratch, ['project'], NO_COLUMNS))
    return fromProjects(readColumn(hot, layoutOf(hot), 1, scratch.take), readDictionary(hot, 1))
  })
}

const NO_COLUMNS: ReadonlySet<string> = new Set()

/** Loads the wanted columns alone, as {@link loadHot} does. */
export function loadColumns(files: Files, path: string, wanted: WantedColumns): Promise<ReadonlyMap<string, Column>> {
  return withScratch(async (scratch) => {
    const hot = await withFile(files, path, (file) => readColumns(file, path, scratch, [], wanted))
    return decodeColumns(hot, layoutOf(hot), wanted)
  })
}

/** Reads the columns of some names, as far as the file has these columns, and the wanted columns. */
async function readColumns(
  file: ReadableFile,
  path: string,
  scratch: Scratch,
  names: readonly string[],
  wanted: WantedColumns,
): Promise<HotFile> {
  const last = await readLast(file, path)
  const { at, ...end } = await readEnd(file, path, last)
  const facts = factsOf(end.schema, path)
  const { fields } = end.schema
  if (facts.version === 1) {
    const bytes = await readInto(file, path, 0, scratch.take(at))
    const { aside, crc } = firstAside(end)
    if (crc32(bytes) !== crc) throw damaged(path, 'its columns do not match the checksum in it')
    return { facts, fields, aside, scratch, bytesAt: (offset, length) => bytes.subarray(offset, offset + length) }
  }
  const aside = decodeAside(end.aside)
  const pieces: NamedPiece[] = [{ ...aside.message, what: 'the message of its columns' }]
  const indices = fields.flatMap(({ name }, i) => (names.includes(name) ? [i] : []))
  for (const index of [...indices, ...indicesOf(fields, wanted)]) {
    const what = `its column ${fields[index].name}`
    for (const piece of Object.values(aside.columns[index])) pieces.push({ ...piece, what })
  }
  return { facts, fields, aside, scratch, bytesAt: await readPieces(file, path, pieces, last, scratch) }
}

function firstAside({ schema, aside, batches, dictionaries }: FileEnd) {
  const first = decodeFirstAside(aside)
  const hasDictionary = schema.fields.map(({ type }) => DataType.isDictionary(type))
  return { crc: first.crc, aside: piecesOfFirst(first, batches[0], dictionaries, hasDictionary) }
}

/** The indices of the wanted own columns that a file has. */
function indicesOf(fields: readonly Field[], wanted: WantedColumns): number[] {
  return fields.flatMap(({ name }, i) =>
    i >= FIRST_OWN && name !== IN_METADATA && (wanted?.has(name) ?? true) ? [i] : [],
  )
}

const layoutOf = ({ aside: { message }, bytesAt }: HotFile): BatchLayout =>
  decodeLayout(bytesAt(message.offset, message.bytes))

async function decodeColumns(hot: HotFile, layout: BatchLayout, wanted: WantedColumns): Promise<Map<string, Column>> {
  const yieldIfDue = createYielder()
  const { facts, fields } = hot
  const columns = new Map<string, Column>()
  for (const i of indicesOf(fields, wanted)) {
    columns.set(fields[i].name, decodeColumn(hot, layout, i))
    await yieldIfDue()
  }
  for (const { name, isLater } of hotColumns(facts.source)) {
    const isMissing = isLater && !fields.some((field) => field.name === name)
    if (isMissing && (wanted?.has(name) ?? true)) columns.set(name, absentNumbers(facts.rows))
  }
  return columns
}

/**
 * Returns the bit sets. In a file older than bit sets all bits are set, in any file the bits of columns that the file
 * lacks.
 */
function decodeBitSets(hot: HotFile, layout: BatchLayout): InMetadata {
  const { facts, fields } = hot
  const mask = facts.inMetadata ?? ALL_IN_METADATA
  const missing = missingBits(facts.source, fields)
  const i = fields.findIndex(({ name }) => name === IN_METADATA)
  if (i < 0) return { mask: (mask | missing) >>> 0 }
  const { values } = readColumn(hot, layout, i)
  const rows = new Uint32Array(values.buffer, values.byteOffset, facts.rows)
  if (missing !== 0) for (let row = 0; row < rows.length; row++) rows[row] |= missing
  return { mask: (mask | missing) >>> 0, rows }
}

/** The bits of the hot columns that a file does not have. */
function missingBits(source: SourceName, fields: readonly Field[]): number {
  const names = new Set(fields.map(({ name }) => name))
  return hotColumns(source).reduce((bits, { name }, i) => (names.has(name) ? bits : bits | (1 << i)), 0)
}

function decodeColumn(hot: HotFile, layout: BatchLayout, i: number): Column {
  const { type } = hot.fields[i]
  const column = readColumn(hot, layout, i)
  if (DataType.isDictionary(type)) {
    const { grams } = hot.aside.columns[i]
    const dictionary = withGrams(readDictionary(hot, i), decodeGrams(hot.bytesAt(grams.offset, grams.bytes)))
    return sealedTexts(fromIndices(column), dictionary)
  }
  return DataType.isInt(type) && type.bitWidth === 8 ? fromAreas(column) : fromNumbers(column)
}

/** Decompresses column i of the schema, the values to new memory unless `takeValues` is given. */
function readColumn(hot: HotFile, layout: BatchLayout, i: number, takeValues?: Scratch['take']): ReadColumn {
  return {
    rows: hot.facts.rows,
    nulls: layout.nodes[i].nullCount,
    validity: fromBuffer(bufferOf(hot, layout, 2 * i), hot.scratch.take),
    values: fromBuffer(bufferOf(hot, layout, 2 * i + 1), takeValues),
  }
}

/** The compressed bytes of buffer k of the record batch. */
function bufferOf({ aside, bytesAt }: HotFile, { regions }: BatchLayout, k: number): Buffer {
  return bytesAt(aside.message.offset + regions[k].offset, regions[k].length)
}

function readDictionary({ aside, bytesAt, scratch }: HotFile, i: number): Dictionary {
  const { offset, bytes } = aside.columns[i].dictionary
  const [, offsets, texts] = decodeMessage(bytesAt(offset, bytes)).buffers
  return fromEntries(offsets!, texts!, scratch)
}
