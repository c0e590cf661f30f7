import { crc32 } from 'node:zlib'
import { COLD_COLUMNS } from '../../common/columns.js'
import { isSystemError } from '../../engine/disk/files/file-errors.js'
import type { Files, ReadableFile } from '../../engine/disk/files/files.js'
import { timeAt } from '../../engine/execute/columns/batch.js'
import type { RowRange } from '../../engine/store/export/batches.js'
import { type BatchIndex, readIndex } from '../../engine/store/files/cold-file.js'
import { faultIn } from '../../engine/store/files/damage.js'
import { readBytes, withFile } from '../../engine/store/files/ends.js'
import type { SegmentFacts } from '../../engine/store/files/facts.js'
import type { ColdBatch, ColdColumns } from '../../engine/store/segment/cold.js'
import { createTextsReader } from '../../engine/store/segment/cold-reader.js'
import { type Cost, type Finding, fault } from '../findings/finding.js'
import type { HotReport } from './check-hot.js'

/** The result of reading a cold file: the damage, and the rows with intact texts. */
export interface ColdReport {
  findings: Finding[]
  ranges: RowRange[]
}

/**
 * Reads all batches of a cold file, one batch at a time: the checksums, and the texts of each row. `times` are the
 * times of the rows, if known, to say which rows a damaged batch costs. Rejects with the system's error.
 */
export async function checkCold(
  files: Files,
  path: string,
  facts: SegmentFacts,
  times: HotReport['times'],
): Promise<ColdReport> {
  const report: ColdReport = { findings: [], ranges: [] }
  const { source, rows, minUs, maxUs } = facts
  try {
    await withFile(files, path, async (file) => {
      Object.assign(report, { findings: [], ranges: [] })
      const index = await readIndex(file, path, facts)
      if (index.firstRows.at(-1) !== rows) throw new Error(`it has not ${rows} rows`)
      for (const batch of index.checks.keys()) await checkBatch(report, { file, path, index, batch, facts, times })
    })
  } catch (error) {
    if (isSystemError(error)) throw error
    const cost = { source, rows, fromUs: minUs, throughUs: maxUs }
    report.findings.push(fault('damaged_segment', path, faultIn(error as Error), { cost }))
    report.ranges = []
  }
  return report
}

interface BatchPlace {
  file: ReadableFile
  path: string
  index: BatchIndex
  batch: number
  facts: SegmentFacts
  times: HotReport['times']
}

async function checkBatch(report: ColdReport, place: BatchPlace): Promise<void> {
  const { file, path, batch, facts, times } = place
  const { firstRows, starts, checks } = place.index
  const [offset, bytes] = [starts[batch], starts[batch + 1] - starts[batch]]
  const range = { from: firstRows[batch], to: firstRows[batch + 1] }
  const stored = await readBytes(file, path, offset, bytes)
  const isIntact = crc32(stored) === checks[batch]
  if (isIntact && areTexts({ ...range, bytes: stored })) return addRange(report.ranges, range)
  const wrong = isIntact ? 'has not a text for each row' : 'does not match its checksum'
  const what = `batch ${batch}, ${bytes} bytes at offset ${offset}, ${wrong}`
  const cost = costOf(facts, range, times)
  report.findings.push(fault('damaged_batch', path, what, { offset, bytes, cost }))
}

function addRange(ranges: RowRange[], { from, to }: RowRange): void {
  const last = ranges.at(-1)
  if (last?.to === from) last.to = to
  else ranges.push({ from, to })
}

function costOf({ source }: SegmentFacts, { from, to }: RowRange, times: HotReport['times']): Cost {
  if (times === undefined) return { source, rows: to - from }
  let [fromUs, throughUs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let row = from; row < to; row++) {
    fromUs = Math.min(fromUs, timeAt(times, row))
    throughUs = Math.max(throughUs, timeAt(times, row))
  }
  return { source, rows: to - from, fromUs, throughUs }
}

/** Whether a batch has three texts for each row. */
function areTexts(batch: ColdBatch): boolean {
  const cold: ColdColumns = { memoryBytes: 0, readBatch: () => batch, readBatches: () => [batch] }
  try {
    return COLD_COLUMNS.every((column) => {
      const texts = createTextsReader(cold, column)(batch.from, batch.to)
      return !(texts instanceof Promise) && areOffsets(texts.offsets, batch.to - batch.from, texts.bytes.length)
    })
  } catch {
    return false
  }
}

function areOffsets(offsets: Int32Array, rows: number, bytes: number): boolean {
  if (offsets.length !== rows + 1 || offsets[0] !== 0 || offsets[rows] !== bytes) return false
  return offsets.every((offset, i) => i === 0 || offset >= offsets[i - 1])
}
