import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { decodeUtf8 } from '../../../base/text/utf8.js'
import { MIB } from '../../../base/units.js'
import type { Batch, MessageFilter } from '../../execute/columns/batch.js'
import type { FieldPath, PathValues } from '../../execute/columns/field-path.js'
import { createMessageFilter } from '../../execute/columns/message-filter.js'
import { choosePaths } from './choose-paths.js'
import { createPathInterner } from './path-interner.js'

/** The values of a path, or the counts of its elements, in all rows of a segment. */
export interface PathColumn {
  path: FieldPath
  field: PathValues
}

/** The content of a path file: columns of paths, and the filter of the messages, if the filter is of use. */
export interface PathContent {
  columns: readonly PathColumn[]
  messages: MessageFilter | undefined
}

/** The rows by which paths are chosen: at most so many, spread over the segment, and so many bytes. */
const SAMPLE_ROWS = 4096
const SAMPLE_BYTES = 8 * MIB
/** Sampled rows of a segment: parsing one takes as long as reading the columns of ten rows. */
const SAMPLE_SHARE = 1 / 64
const MIN_SAMPLE_ROWS = 256
/** Adjacent rows of a sample, which are decompressed together. */
const RUN_ROWS = 32

/** The most columns, and the most bytes of their codes while they are made. */
const MAX_COLUMNS = 256
const MAX_CODE_BYTES = 64 * MIB
const CODE_BYTES = Uint16Array.BYTES_PER_ELEMENT

/** The rows of which columns are made. */
export type Rows = Pick<Batch, 'rows' | 'readColdTexts'>

/**
 * Returns the columns of the paths of the metadata with values that repeat, see {@link choosePaths}. Yields between
 * about 1 MiB of texts. Rejects if the texts are damaged.
 */
export async function makePathColumns(rows: Rows, yieldIfDue: Yielder): Promise<PathColumn[]> {
  const most = Math.min(MAX_COLUMNS, Math.floor(MAX_CODE_BYTES / (CODE_BYTES * rows.rows)))
  return columnsOf(rows, choosePaths(await sampleOf(rows, yieldIfDue)).slice(0, most), yieldIfDue)
}

/** Returns the filter of the messages, if the filter is of use. Yields and rejects as {@link makePathColumns} does. */
export async function makeMessageFilter(rows: Rows, yieldIfDue: Yielder): Promise<MessageFilter | undefined> {
  const filter = createMessageFilter(rows.rows)
  for (let row = 0; row < rows.rows; ) {
    const texts = await rows.readColdTexts('event_message', row)
    filter.add(texts)
    row = texts.to
    await yieldIfDue()
  }
  return filter.build()
}

/** Returns the columns of those paths of which the values in all rows can be a column. */
export async function columnsOf(rows: Rows, paths: readonly FieldPath[], yieldIfDue: Yielder): Promise<PathColumn[]> {
  const interner = createPathInterner(paths, rows.rows)
  for (let row = 0; row < rows.rows; ) {
    const texts = await rows.readColdTexts('metadata', row, interner.textMemory)
    interner.add(texts)
    row = texts.to
    await yieldIfDue()
  }
  const fields = interner.fields()
  return paths.flatMap((path, i) => {
    const field = fields[i]
    return field === undefined ? [] : [{ path, field }]
  })
}

/** Returns the metadata of some rows, in runs of neighbours that are spread over the segment. */
async function sampleOf(rows: Rows, yieldIfDue: Yielder): Promise<string[]> {
  const wanted = Math.max(MIN_SAMPLE_ROWS, Math.min(SAMPLE_ROWS, rows.rows * SAMPLE_SHARE))
  const runs = Math.min(Math.ceil(wanted / RUN_ROWS), Math.ceil(rows.rows / RUN_ROWS))
  const sample: string[] = []
  let bytes = 0
  for (let run = 0; run < runs; run++) {
    const from = Math.floor((run * rows.rows) / runs)
    const texts = await rows.readColdTexts('metadata', from)
    for (let row = from; row < Math.min(texts.to, from + RUN_ROWS); row++) {
      const [start, end] = [texts.offsets[row - texts.from], texts.offsets[row - texts.from + 1]]
      bytes += end - start
      if (bytes > SAMPLE_BYTES) return sample
      sample.push(decodeUtf8(texts.bytes.subarray(start, end)))
    }
    await yieldIfDue()
  }
  return sample
}
