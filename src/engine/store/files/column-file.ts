import { crc32 } from 'node:zlib'
import type { Schema } from 'apache-arrow'
import { BufferRegion, FieldNode } from 'apache-arrow/ipc/metadata/message'
import { type Block, encodeEnd, fileStart, ZSTD_BATCH } from '../../../arrow-ipc/file.js'
import { aligned, batchMessage, END_OF_STREAM } from '../../../arrow-ipc/message.js'
import { createYielder, type Yielder } from '../../../base/scheduling/time-slices.js'
import type { Dictionary } from '../../execute/columns/dictionary.js'
import type { GramFilter } from '../../execute/columns/grams.js'
import { type Codec, toBuffer } from '../segment/zstd.js'
import { type ColumnAside, encodeAside, encodeGrams, NO_PIECE, type Piece } from './column-aside.js'
import { type ArrowColumn, bytesOf, toEntries } from './hot-buffers.js'

/** A column of a file. The field of the schema has the type. */
export interface FileColumn {
  /** Returns the values. Called just before the values are compressed, so that a single copy is in memory. */
  make(): ArrowColumn
  /** The dictionary of the codes, with the id that the schema has. Undefined if the values are no codes. */
  dictionary?: { entries: Dictionary; id: number } | undefined
  /** The gram filter of the dictionary. */
  grams?: GramFilter | undefined
}

/** A file that is being encoded: the content so far, and the number of bytes. */
interface Draft {
  content: Uint8Array[]
  bytes: number
  yieldIfDue: Yielder
}

/**
 * Encodes columns as an Arrow IPC file of a single record batch. A column can be read and checked without the others.
 * Returns the content of the file in order, and the places of the columns. `extra` is stored behind the columns, and
 * compressed. Yields during compression.
 */
export async function encodeColumnFile(
  schema: Schema,
  rows: number,
  columns: readonly FileColumn[],
  extra?: Uint8Array,
): Promise<{ content: Uint8Array[]; places: ColumnAside }> {
  const draft: Draft = { content: [], bytes: 0, yieldIfDue: createYielder() }
  add(draft, fileStart(schema))
  const dictionaries: ({ block: Block; piece: Piece } | undefined)[] = []
  for (const { dictionary } of columns) dictionaries.push(dictionary && (await addDictionary(draft, dictionary)))
  const { batch, message, buffers } = await addBatch(draft, rows, columns)
  add(draft, END_OF_STREAM)
  const grams = columns.map(({ grams }) => grams && add(draft, ...encodeGrams(grams)))
  const extraPiece = extra && add(draft, await toBuffer(extra, 'numbers', draft.yieldIfDue))
  const places: ColumnAside = {
    message,
    extra: extraPiece,
    columns: buffers.map((piece, i) => ({
      buffers: piece,
      dictionary: dictionaries[i]?.piece ?? NO_PIECE,
      grams: grams[i] ?? NO_PIECE,
    })),
  }
  const blocks = dictionaries.flatMap((dictionary) => dictionary?.block ?? [])
  add(draft, encodeEnd({ schema, batches: [batch], dictionaries: blocks, aside: encodeAside(places) }))
  return { content: draft.content, places }
}

async function addDictionary(
  draft: Draft,
  { entries: dictionary, id }: NonNullable<FileColumn['dictionary']>,
): Promise<{ block: Block; piece: Piece }> {
  const { offsets, texts } = toEntries(dictionary)
  const entries = dictionary.count - 1
  const body = createBody()
  const content = await addBuffers(body, [new Uint8Array(0), bytesOf(offsets), texts], 'texts', draft.yieldIfDue)
  const message = batchMessage(entries, [new FieldNode(entries, 0)], body.regions, body.bytes, {
    ...ZSTD_BATCH,
    dictionaryId: id,
  })
  const piece = add(draft, message, ...content)
  return { block: { offset: piece.offset, messageBytes: message.length, bodyBytes: body.bytes }, piece }
}

async function addBatch(draft: Draft, rows: number, columns: readonly FileColumn[]) {
  const body = createBody()
  const nodes: FieldNode[] = []
  const contents: Uint8Array[][] = []
  for (const column of columns) {
    const { nulls, validity, values } = column.make()
    contents.push(await addBuffers(body, [validity, values], 'numbers', draft.yieldIfDue))
    nodes.push(new FieldNode(rows, nulls))
  }
  const message = add(draft, batchMessage(rows, nodes, body.regions, body.bytes, ZSTD_BATCH))
  const buffers = contents.map((content) => add(draft, ...content))
  const batch: Block = { offset: message.offset, messageBytes: message.bytes, bodyBytes: body.bytes }
  return { batch, message, buffers }
}

/** The buffers of a message's body: the places of the buffers in the body, and the number of bytes with padding. */
interface Body {
  regions: BufferRegion[]
  bytes: number
}

const createBody = (): Body => ({ regions: [], bytes: 0 })

/** Compresses buffers, and adds their places to a body. Returns the compressed buffers, each with its padding. */
async function addBuffers(
  body: Body,
  contents: readonly Uint8Array[],
  codec: Codec,
  yieldIfDue: Yielder,
): Promise<Uint8Array[]> {
  const added: Uint8Array[] = []
  for (const content of contents) {
    const buffer = await toBuffer(content, codec, yieldIfDue)
    body.regions.push(new BufferRegion(body.bytes, buffer.length))
    const padding = aligned(buffer.length) - buffer.length
    added.push(buffer, new Uint8Array(padding))
    body.bytes += buffer.length + padding
  }
  return added
}

/** Adds content to the file, as a single piece. */
function add(draft: Draft, ...content: readonly Uint8Array[]): Piece {
  const piece: Piece = { offset: draft.bytes, bytes: 0, crc: 0 }
  for (const bytes of content) {
    piece.crc = crc32(bytes, piece.crc)
    piece.bytes += bytes.length
    draft.content.push(bytes)
  }
  draft.bytes += piece.bytes
  return piece
}
