import { Field, Schema } from 'apache-arrow'
import { decodeLayout, decodeMessage } from '../../../arrow-ipc/file.js'
import type { Files, ReadableFile } from '../../disk/files/files.js'
import type { MessageFilter } from '../../execute/columns/batch.js'
import { ABSENT, closeDictionary, createInterner, type Dictionary, entryOf } from '../../execute/columns/dictionary.js'
import type { FieldPath, StoredField } from '../../execute/columns/field-path.js'
import type { PathColumn, PathContent } from '../path-columns/make-path-columns.js'
import { fromBuffer } from '../segment/zstd.js'
import { decodeAside, type Piece } from './column-aside.js'
import { encodeColumnFile } from './column-file.js'
import { damaged } from './damage.js'
import { readEnd, readLast, withFile } from './ends.js'
import type { SegmentFacts } from './facts.js'
import { toIndices } from './hot-buffers.js'
import { dictionaryType } from './hot-schema.js'
import { fieldCodes, fieldEntries, QUOTE, type Values } from './path-values.js'
import { type NamedPiece, readPieces } from './pieces.js'
import { type Scratch, withScratch } from './scratch.js'

// A path file holds columns of paths of the metadata, which are in the cold file too. The file is made after the rows
// were sealed. A segment without the file, or with a damaged file, has the same rows.

/** Custom metadata of the schema: the checksum of the segment's cold file as sealed, and the version of the file. */
const FILE_KEY = 'logweir.paths'
const FILE_VERSION = 1
/** Custom metadata of a field: the keys of the path, as JSON. */
const PATH_KEY = 'logweir.path'
/** Custom metadata of a field: the kind of the values. */
const VALUES_KEY = 'logweir.values'

/** The most bytes of the columns and of the filter of messages, as shares of the bytes of a segment's other files. */
const COLUMNS_SHARE = 1 / 20
const FILTER_SHARE = 1 / 32

/**
 * Encodes path columns and the filter of messages, for a segment with other files of `otherBytes`. Returns the
 * content of the file in order. The columns that take most are left out until the file has at most its share of these
 * bytes, or a single column. A filter that takes more than its share is left out. Yields during compression.
 */
export async function encodePaths(
  { columns, messages }: PathContent,
  { rows, coldCheck }: Pick<SegmentFacts, 'rows' | 'coldCheck'>,
  otherBytes: number,
): Promise<Uint8Array[]> {
  const filter = messages && messages.length <= otherBytes * FILTER_SHARE ? messages : undefined
  const encode = (some: readonly PathColumn[]) => encodeFile(some, { rows, coldCheck }, filter)
  const all = await encode(columns)
  const kept = columnsWithin(columns, all, otherBytes * COLUMNS_SHARE)
  return (kept.length === columns.length ? all : await encode(kept)).content
}

/** A file that was encoded. */
type Encoded = Awaited<ReturnType<typeof encodeColumnFile>>

/** Returns the columns that are kept, in order, so that a file of all columns has at most `maxBytes`. */
function columnsWithin(columns: readonly PathColumn[], all: Encoded, maxBytes: number): readonly PathColumn[] {
  const bytes = bytesOf(all.content) - (all.places.extra?.bytes ?? 0)
  if (bytes <= maxBytes) return columns
  const sizes = all.places.columns.map((pieces) => pieces.buffers.bytes + pieces.dictionary.bytes)
  const ascending = [...columns.keys()].sort((a, b) => sizes[a] - sizes[b])
  // The rest of the file is about the same for each column.
  const each = (bytes - sizes.reduce((sum, size) => sum + size, 0)) / columns.length
  const kept = new Set<PathColumn>()
  let total = 0
  for (const i of ascending) {
    total += sizes[i] + each
    if (kept.size > 0 && total > maxBytes) break
    kept.add(columns[i])
  }
  return columns.filter((column) => kept.has(column))
}

const bytesOf = (content: readonly Uint8Array[]) => content.reduce((sum, { length }) => sum + length, 0)

function encodeFile(
  columns: readonly PathColumn[],
  { rows, coldCheck }: Pick<SegmentFacts, 'rows' | 'coldCheck'>,
  filter?: MessageFilter,
): Promise<Encoded> {
  const schema = new Schema(
    columns.map(fieldOf),
    new Map([[FILE_KEY, JSON.stringify({ version: FILE_VERSION, segment: coldCheck })]]),
  )
  return encodeColumnFile(
    schema,
    rows,
    columns.map(({ path, field: { codes, entries } }, id) => ({
      make: () => toIndices(codes),
      dictionary: { entries: toArrow(entries, valuesOf(path, entries)), id },
    })),
    filter,
  )
}

function fieldOf({ path, field: { codes, entries } }: PathColumn, id: number): Field {
  const name = nameOf(path)
  const values = valuesOf(path, entries)
  const metadata = new Map([
    [PATH_KEY, JSON.stringify(path.keys)],
    [VALUES_KEY, values],
  ])
  return new Field(name, dictionaryType(codes, id), true, metadata)
}

/** A name for other tools: the keys with dots between. The number of elements has brackets. */
function nameOf({ keys, isCount }: FieldPath): string {
  const name = keys.some((key) => /^$|[."[\]]/.test(key)) ? JSON.stringify(keys) : keys.join('.')
  return isCount ? `${name}[]` : name
}

function valuesOf({ isCount }: FieldPath, entries: Dictionary): Values {
  if (isCount) return 'counts'
  return areTexts(entries) ? 'texts' : 'json'
}

/** Texts lose the quote, or become JSON among other values. */
function toArrow(entries: Dictionary, values: Values): Dictionary {
  const interner = createInterner()
  for (let code = ABSENT + 1; code < entries.count; code++) {
    const entry = entryOf(entries, code)
    const isText = entry[0] === QUOTE
    const text = values === 'texts' ? entry.subarray(1) : Buffer.from(JSON.stringify(entry.toString('utf8', 1)))
    const stored = isText ? text : entry
    interner.intern(stored, 0, stored.length)
  }
  return closeDictionary(interner)
}

/** Whether all entries are texts. */
function areTexts({ count, offsets, bytes }: Dictionary): boolean {
  for (let code = ABSENT + 1; code < count; code++) if (bytes[offsets[code]] !== QUOTE) return false
  return true
}

/** Reads the columns of some paths. Undefined for a path without a column. Rejects with `damaged_segment`. */
export function readPaths(
  files: Files,
  path: string,
  facts: Pick<SegmentFacts, 'rows' | 'coldCheck'>,
  wanted: readonly FieldPath[],
): Promise<(StoredField | undefined)[]> {
  return withScratch((scratch) =>
    withFile(files, path, async (file) => {
      const { fields, ...open } = await openPaths(file, path, facts)
      const places = wanted.map((one) => fields.findIndex((field) => isOf(field, one)))
      return readFields({ ...open, fields, file, path, rows: facts.rows, scratch }, places)
    }),
  )
}

/** Reads the paths of which a file has the values, each as the JSON of its keys. Rejects with `damaged_segment`. */
export function readPathNames(
  files: Files,
  path: string,
  facts: Pick<SegmentFacts, 'coldCheck'>,
): Promise<readonly string[]> {
  return withFile(files, path, async (file) => {
    const { fields } = await openPaths(file, path, facts)
    return fields.flatMap(({ metadata }) => (metadata.get(VALUES_KEY) === 'counts' ? [] : [metadata.get(PATH_KEY)!]))
  })
}

/** Reads the filter of the messages. Undefined if the file has no filter. Rejects with `damaged_segment`. */
export function readFilter(
  files: Files,
  path: string,
  facts: Pick<SegmentFacts, 'coldCheck'>,
): Promise<MessageFilter | undefined> {
  return withScratch((scratch) =>
    withFile(files, path, async (file) => {
      const { last, aside } = await openPaths(file, path, facts)
      return decodeFilter(file, path, last, aside, scratch)
    }),
  )
}

async function decodeFilter(
  file: ReadableFile,
  path: string,
  last: Buffer,
  { extra }: OpenPaths['aside'],
  scratch: Scratch,
): Promise<MessageFilter | undefined> {
  if (extra === undefined) return undefined
  const bytesAt = await readPieces(file, path, [{ ...extra, what: 'its filter of messages' }], last, scratch)
  return fromBuffer(bytesAt(extra.offset, extra.bytes))
}

/** Reads the columns of a file and the filter. Rejects with `damaged_segment` if a byte differs from those written. */
export function checkPathFile(
  files: Files,
  path: string,
  facts: Pick<SegmentFacts, 'rows' | 'coldCheck'>,
): Promise<void> {
  return withScratch((scratch) =>
    withFile(files, path, async (file) => {
      const { fields, ...open } = await openPaths(file, path, facts)
      await readFields({ ...open, fields, file, path, rows: facts.rows, scratch }, [...fields.keys()])
      await decodeFilter(file, path, open.last, open.aside, scratch)
    }),
  )
}

/** Whether a field of a schema is the column of a path. */
function isOf({ metadata }: Field, { keys, isCount }: FieldPath): boolean {
  return metadata.get(PATH_KEY) === JSON.stringify(keys) && (metadata.get(VALUES_KEY) === 'counts') === isCount
}

interface OpenPaths {
  file: ReadableFile
  path: string
  last: Buffer
  fields: readonly Field[]
  aside: ReturnType<typeof decodeAside>
  rows: number
  scratch: Scratch
}

async function openPaths(file: ReadableFile, path: string, { coldCheck }: Pick<SegmentFacts, 'coldCheck'>) {
  const last = await readLast(file, path)
  const { schema, aside } = await readEnd(file, path, last)
  const { version, segment } = JSON.parse(schema.metadata.get(FILE_KEY) ?? '{}')
  if (version !== FILE_VERSION) throw damaged(path, 'it is of another version')
  if (segment !== coldCheck) throw damaged(path, 'it belongs to another segment')
  return { last, fields: schema.fields, aside: decodeAside(aside) }
}

/** Reads the columns at some places of the schema. A place below 0 is no column. */
async function readFields(open: OpenPaths, places: readonly number[]): Promise<(StoredField | undefined)[]> {
  const { file, path, last, fields, aside, rows, scratch } = open
  const named = (piece: Piece, what: string): NamedPiece => ({ ...piece, what })
  const pieces = places
    .filter((i) => i >= 0)
    .flatMap((i) => {
      const what = `its column ${fields[i].name}`
      return [named(aside.columns[i].buffers, what), named(aside.columns[i].dictionary, what)]
    })
  if (pieces.length === 0) return places.map(() => undefined)
  const { message } = aside
  const bytesAt = await readPieces(file, path, [named(message, 'the message of its columns'), ...pieces], last, scratch)
  const { nodes, regions } = decodeLayout(bytesAt(message.offset, message.bytes))
  const bufferAt = (k: number) => bytesAt(message.offset + regions[k].offset, regions[k].length)
  return places.map((i) => {
    if (i < 0) return undefined
    const { offset, bytes } = aside.columns[i].dictionary
    const [, offsets, texts] = decodeMessage(bytesAt(offset, bytes)).buffers
    const { dictionary, hasOnlyTexts } = fieldEntries(offsets!, texts!, fields[i].metadata.get(VALUES_KEY) as Values)
    const column = {
      rows,
      nulls: nodes[i].nullCount,
      validity: fromBuffer(bufferAt(2 * i), scratch.take),
      values: fromBuffer(bufferAt(2 * i + 1)),
    }
    return { codes: fieldCodes(column, dictionary.count), dictionary, hasOnlyTexts }
  })
}
