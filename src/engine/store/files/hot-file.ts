import { crc32 } from 'node:zlib'
import { BufferRegion, FieldNode } from 'apache-arrow/ipc/metadata/message'
import { type Block, encodeEnd, fileStart, ZSTD_BATCH } from '../../../arrow-ipc/file.js'
import { aligned, batchMessage, END_OF_STREAM } from '../../../arrow-ipc/message.js'
import { createYielder, type Yielder } from '../../../base/scheduling/time-slices.js'
import type { Column } from '../../execute/columns/batch.js'
import type { Dictionary } from '../../execute/columns/dictionary.js'
import type { SegmentData } from '../segment/segment.js'
import { type Codec, toBuffer } from '../segment/zstd.js'
import { factsToMetadata, type SegmentFacts } from './facts.js'
import { encodeAside, encodeGrams, FIRST_OWN, NO_PIECE, type Piece } from './hot-aside.js'
import { type ArrowColumn, bytesOf, projectCodes, toColumn, toEntries, toIndices, toTimestamps } from './hot-buffers.js'
import { hotSchema, PROJECT_ID } from './hot-schema.js'

/** A file that is being encoded: the content so far, and the number of bytes. */
interface Draft {
  content: Uint8Array[]
  bytes: number
  yieldIfDue: Yielder
}

/**
 * Encodes the hot columns of a segment as an Arrow IPC file of a single record batch. Returns the content of the file
 * in order. Yields during compression.
 */
export async function encodeHot(data: SegmentData, facts: SegmentFacts): Promise<Uint8Array[]> {
  const { rows, times, projects, columns, inMetadata } = data
  const codes = projectCodes(projects, rows)
  const schema = hotSchema(codes, columns, inMetadata, factsToMetadata(facts))
  const own = [...columns.values()]
  const draft: Draft = { content: [], bytes: 0, yieldIfDue: createYielder() }
  add(draft, fileStart(schema))
  const dictionaries = [undefined, await addDictionary(draft, projects.dictionary, PROJECT_ID)]
  for (const [i, column] of own.entries()) {
    const dictionary = column.kind === 'text' ? column.dictionary : undefined
    dictionaries.push(dictionary && (await addDictionary(draft, dictionary, PROJECT_ID + 1 + i)))
  }
  const { batch, message, buffers } = await addBatch(draft, rows, [
    () => toTimestamps(times, rows),
    () => toIndices(codes),
    ...own.map((column) => () => toColumn(column)),
    ...(inMetadata.rows === undefined ? [] : [toBitSets(inMetadata.rows)]),
  ])
  add(draft, END_OF_STREAM)
  const grams = own.map((column) => addGrams(draft, column))
  const aside = encodeAside({
    message,
    columns: buffers.map((piece, i) => ({
      buffers: piece,
      dictionary: dictionaries[i]?.piece ?? NO_PIECE,
      grams: grams[i - FIRST_OWN] ?? NO_PIECE,
    })),
  })
  const blocks = dictionaries.flatMap((dictionary) => dictionary?.block ?? [])
  add(draft, encodeEnd({ schema, batches: [batch], dictionaries: blocks, aside }))
  return draft.content
}

function toBitSets(bitSets: Uint32Array): () => ArrowColumn {
  return () => ({ nulls: 0, validity: new Uint8Array(0), values: bytesOf(bitSets) })
}

function addGrams(draft: Draft, column: Column): Piece | undefined {
  const grams = column.kind === 'text' ? column.dictionary.grams : undefined
  return grams && add(draft, ...encodeGrams(grams))
}

async function addDictionary(
  draft: Draft,
  dictionary: Dictionary,
  id: number,
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

/**
 * Adds the record batch. Each column is converted just before its compression, so that a single copy at a time is in
 * memory.
 */
async function addBatch(draft: Draft, rows: number, columns: readonly (() => ArrowColumn)[]) {
  const body = createBody()
  const nodes: FieldNode[] = []
  const contents: Uint8Array[][] = []
  for (const make of columns) {
    const { nulls, validity, values } = make()
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
