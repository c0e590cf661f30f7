import { type Block, decodeMessage } from '../../../../arrow-ipc/file.js'
import { crc32 } from '../../../../base/crc32.js'
import { createYielder, type Yielder } from '../../../../base/time-slices.js'
import { hotColumns } from '../../../columns.js'
import type { Files } from '../../../disk/files/files.js'
import { type Column, sealedTexts } from '../../columns/batch.js'
import { type Dictionary, withGrams } from '../../columns/dictionary.js'
import type { SegmentParts } from '../segment/segment.js'
import { fromBuffer } from '../segment/zstd.js'
import { damaged } from './damage.js'
import { readEnd, readInto, withFile } from './ends.js'
import { fromEntries } from './entries.js'
import { factsOf, type SegmentFacts } from './facts.js'
import { decodeAside, decodeGrams, type HotAside } from './hot-aside.js'
import {
  absentNumbers,
  fromAreas,
  fromIndices,
  fromNumbers,
  fromProjects,
  fromTimestamps,
  type ReadColumn,
} from './hot-columns.js'
import { type Scratch, withScratch } from './scratch.js'

/** The hot columns of a segment, in their form in memory. */
export type HotParts = Pick<SegmentParts, 'times' | 'projects' | 'columns'>

/** A hot file whose checksums match. */
interface HotFile {
  bytes: Buffer
  facts: SegmentFacts
  aside: HotAside
  batch: Block
  dictionaries: readonly Block[]
}

/** Returns the facts in a hot file, and its size. Reads only its end. */
export function readFacts(files: Files, path: string): Promise<{ facts: SegmentFacts; fileBytes: number }> {
  return withFile(files, path, async (file) => {
    const facts = factsOf((await readEnd(file, path)).schema, path)
    return { facts, fileBytes: file.bytes }
  })
}

/**
 * Reads the hot columns. Costs reading and decompressing the file and a loop over each column. apache-arrow's reader
 * would copy each buffer once more, which takes twice as long. Rejects with `damaged_segment` or `newer_format`.
 */
export function loadHot(files: Files, path: string): Promise<HotParts> {
  return withScratch(async (scratch) => {
    const file = await withFile(files, path, async (file): Promise<HotFile> => {
      const whole = await readInto(file, path, 0, scratch.take(file.bytes))
      const { at, schema, batches, dictionaries, ...end } = await readEnd(file, path, whole)
      const facts = factsOf(schema, path)
      const aside = decodeAside(end.aside)
      const bytes = whole.subarray(0, at)
      if (crc32(bytes) !== aside.crc) throw damaged(path, 'its columns do not match the checksum in it')
      return { bytes, facts, aside, batch: batches[0]!, dictionaries }
    })
    return decode(file, scratch, createYielder())
  })
}

/**
 * Decodes the columns: `timestamp`, `project`, then the own columns; own column i has the dictionary i, counted from
 * 1.
 */
async function decode(file: HotFile, scratch: Scratch, yieldIfDue: Yielder): Promise<HotParts> {
  const { bytes, facts, aside, batch, dictionaries } = file
  const { rows, source } = facts
  const dictionaryOf = await readDictionaries(bytes, dictionaries, scratch, yieldIfDue)
  const { nodes, buffers } = decodeMessage(bytes.subarray(batch.offset))
  const read = (i: number, takeValues?: Scratch['take']): ReadColumn => ({
    rows,
    nulls: nodes[i]!.nullCount,
    validity: fromBuffer(buffers[2 * i]!, scratch.take),
    values: fromBuffer(buffers[2 * i + 1]!, takeValues),
  })
  const times = fromTimestamps(read(0, scratch.take), facts)
  const projects = fromProjects(read(1, scratch.take), dictionaryOf.get(0)!)
  const columns = new Map<string, Column>()
  for (const [i, { name, kind, isLater }] of hotColumns(source).entries()) {
    if (isLater && i + 2 >= nodes.length) {
      columns.set(name, absentNumbers(rows))
      continue
    }
    const column = read(i + 2)
    const dictionary = dictionaryOf.get(i + 1)
    if (dictionary !== undefined) {
      const entries = withGrams(dictionary, decodeGrams(bytes, aside.grams[i]!))
      columns.set(name, sealedTexts(fromIndices(column), entries))
    } else if (kind === 'areas') columns.set(name, fromAreas(column))
    else columns.set(name, fromNumbers(column))
    await yieldIfDue()
  }
  return { times, projects, columns }
}

async function readDictionaries(bytes: Buffer, blocks: readonly Block[], scratch: Scratch, yieldIfDue: Yielder) {
  const dictionaryOf = new Map<number, Dictionary>()
  for (const { offset } of blocks) {
    const { dictionaryId, buffers } = decodeMessage(bytes.subarray(offset))
    const [, offsets, texts] = buffers
    dictionaryOf.set(dictionaryId!, fromEntries(offsets!, texts!, scratch))
    await yieldIfDue()
  }
  return dictionaryOf
}
