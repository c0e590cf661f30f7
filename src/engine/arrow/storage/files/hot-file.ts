import { BufferRegion, FieldNode } from 'apache-arrow/ipc/metadata/message'
import { type Block, encodeEnd, fileStart, ZSTD_BATCH } from '../../../../arrow-ipc/file.js'
import { aligned, batchMessage, END_OF_STREAM } from '../../../../arrow-ipc/message.js'
import { crc32 } from '../../../../base/crc32.js'
import { createYielder, type Yielder } from '../../../../base/time-slices.js'
import type { Column } from '../../columns/batch.js'
import type { Dictionary } from '../../columns/dictionary.js'
import type { SegmentParts } from '../segment/segment.js'
import { type Codec, toBuffer } from '../segment/zstd.js'
import { factsToMetadata, type SegmentFacts } from './facts.js'
import { encodeAside, encodeGrams, type GramPlace } from './hot-aside.js'
import { type ArrowColumn, bytesOf, projectCodes, toColumn, toEntries, toIndices, toTimestamps } from './hot-buffers.js'
import { hotSchema, PROJECT_ID } from './hot-schema.js'

/** A file that is being encoded: its pieces so far, their bytes and CRC-32. */
interface Draft {
  pieces: Uint8Array[]
  bytes: number
  crc: number
  yieldIfDue: Yielder
}

/**
 * Encodes the hot columns of a segment as an Arrow IPC file of one record batch. Returns its pieces in order. It
 * yields while it compresses.
 */
export async function encodeHot(parts: SegmentParts, facts: SegmentFacts): Promise<Uint8Array[]> {
  const { rows, times, projects, columns } = parts
  const codes = projectCodes(projects, rows)
  const schema = hotSchema(codes, columns, factsToMetadata(facts))
  const draft: Draft = { pieces: [], bytes: 0, crc: 0, yieldIfDue: createYielder() }
  add(draft, fileStart(schema))
  const dictionaries = [await addDictionary(draft, projects.dictionary, PROJECT_ID)]
  let id = PROJECT_ID
  for (const column of columns.values()) {
    id++
    if (column.kind === 'text') dictionaries.push(await addDictionary(draft, column.dictionary, id))
  }
  const batch = await addColumns(draft, rows, [
    () => toTimestamps(times, rows),
    () => toIndices(codes),
    ...[...columns.values()].map((column) => () => toColumn(column)),
  ])
  add(draft, END_OF_STREAM)
  const grams = [...columns.values()].map((column) => addGrams(draft, column))
  const aside = encodeAside({ crc: draft.crc, grams })
  add(draft, encodeEnd({ schema, batches: [batch], dictionaries, aside }))
  return draft.pieces
}

function addGrams(draft: Draft, column: Column): GramPlace {
  const grams = column.kind === 'text' ? column.dictionary.grams : undefined
  if (grams === undefined) return { offset: 0, blocks: 0 }
  const offset = draft.bytes
  add(draft, ...encodeGrams(grams))
  return { offset, blocks: grams.firstEntries.length - 1 }
}

async function addDictionary(draft: Draft, dictionary: Dictionary, id: number) {
  const { offsets, texts } = toEntries(dictionary)
  const entries = dictionary.count - 1
  const body = createBody()
  await addBuffers(body, [new Uint8Array(0), bytesOf(offsets), texts], 'texts', draft.yieldIfDue)
  const message = batchMessage(entries, [new FieldNode(entries, 0)], body.regions, body.bytes, {
    ...ZSTD_BATCH,
    dictionaryId: id,
  })
  return addBlock(draft, message, body)
}

/**
 * Adds the record batch. Each column is converted just before it is compressed, so that one copy at a time is in
 * memory.
 */
async function addColumns(draft: Draft, rows: number, columns: readonly (() => ArrowColumn)[]): Promise<Block> {
  const body = createBody()
  const nodes: FieldNode[] = []
  for (const make of columns) {
    const { nulls, validity, values } = make()
    await addBuffers(body, [validity, values], 'numbers', draft.yieldIfDue)
    nodes.push(new FieldNode(rows, nulls))
  }
  return addBlock(draft, batchMessage(rows, nodes, body.regions, body.bytes, ZSTD_BATCH), body)
}

interface Body {
  pieces: Uint8Array[]
  regions: BufferRegion[]
  bytes: number
}

const createBody = (): Body => ({ pieces: [], regions: [], bytes: 0 })

async function addBuffers(
  body: Body,
  contents: readonly Uint8Array[],
  codec: Codec,
  yieldIfDue: Yielder,
): Promise<void> {
  for (const content of contents) {
    const buffer = await toBuffer(content, codec, yieldIfDue)
    body.regions.push(new BufferRegion(body.bytes, buffer.length))
    const padding = aligned(buffer.length) - buffer.length
    body.pieces.push(buffer, new Uint8Array(padding))
    body.bytes += buffer.length + padding
  }
}

function addBlock(draft: Draft, message: Buffer, body: Body): Block {
  const offset = draft.bytes
  add(draft, message, ...body.pieces)
  return { offset, messageBytes: message.length, bodyBytes: body.bytes }
}

function add(draft: Draft, ...pieces: readonly Uint8Array[]): void {
  for (const piece of pieces) {
    draft.crc = crc32(piece, draft.crc)
    draft.bytes += piece.length
    draft.pieces.push(piece)
  }
}
