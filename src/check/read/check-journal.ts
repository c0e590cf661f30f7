import { readBatch } from '../../arrow-ipc/read-batch.js'
import type { SourceName } from '../../common/sources.js'
import type { Files, ReadableFile } from '../../engine/disk/files/files.js'
import { decodeFrameHeader, FRAME_HEADER_BYTES, frameBytes } from '../../engine/disk/journal/frame.js'
import { FRAMES_START, type JournalHeader } from '../../engine/disk/journal/header.js'
import { type Damage, recoverJournal } from '../../engine/disk/journal/recover.js'
import type { IngestBatch } from '../../engine/engine.js'
import { decodeBatch } from '../../engine/execute/open-batch/append-batch.js'
import { readAt } from '../files/read-at.js'
import { type Finding, fault, NO_ROW, note } from '../findings/finding.js'
import type { Repair } from '../findings/repair.js'
import type { Report } from '../findings/report.js'

/**
 * Reads all frames of a journal: the checksums, the batches and the numbers of rows. `source` is the source in the name
 * of the journal. Takes the memory of the largest frame. Rejects with the system's error, or with `newer_format`.
 */
export async function checkJournal(files: Files, path: string, source: SourceName): Promise<Report> {
  const stretches: Damage[] = []
  const torn: Damage[] = []
  const undecodable: Finding[] = []
  let rows = 0
  const batch = (read: IngestBatch) => {
    if (isDecodable(read)) rows += read.rows
    else undecodable.push(fault('damaged_frames', path, `a batch of ${read.rows} rows is no Arrow stream of them`))
  }
  const { header } = await recoverJournal(files, path, source, {
    batch,
    damage: (one) => void stretches.push(one),
    torn: (one) => void torn.push(one),
  })
  const file = await files.openToRead(path)
  try {
    const findings = [...undecodable, ...torn.map((one) => tornEnd(one, header))]
    for (const one of stretches)
      findings.push(header === undefined ? headerless(one) : await describe(file, header, one))
    return { ...reportOfJournal(path, findings, source, header), rows, bytes: file.bytes }
  } finally {
    await file.close()
  }
}

/** Whether the rows of a frame can be read. If the checksum is right, unreadable rows are the work of a defect. */
function isDecodable(batch: IngestBatch): boolean {
  if (readBatch(batch) === undefined) return false
  try {
    return decodeBatch(batch) !== undefined
  } catch {
    return false
  }
}

function reportOfJournal(
  path: string,
  findings: readonly Finding[],
  source: SourceName,
  header: JournalHeader | undefined,
): Report {
  const isDamaged = findings.some(({ level }) => level === 'fault')
  const rewrite: Repair = { kind: 'rewrite_journal', path, source }
  return {
    findings: findings.map((one) => (one.cost === undefined ? one : { ...one, cost: withSource(one, source) })),
    rows: 0,
    files: 1,
    bytes: 0,
    repair: isDamaged ? (header === undefined ? { kind: 'set_aside', path } : rewrite) : undefined,
    identity: header && `journal ${Buffer.from(header.marker).toString('hex')}`,
    source: header?.source,
  }
}

const withSource = ({ cost }: Finding, source: SourceName) => (cost?.instead === undefined ? { ...cost, source } : cost)

/** The leftover of a killed process: the first bytes of a frame without visible rows, or of the header. */
function tornEnd({ path, offset, bytes }: Damage, header: JournalHeader | undefined): Finding {
  const what =
    header === undefined
      ? 'it ends in its header, as after a kill: it has no row'
      : `its last frame, ${bytes} bytes at offset ${offset}, was not completely written, as after a kill: ` +
        'no row in it was visible'
  return note('torn_end', path, what, { offset, bytes })
}

const headerless = ({ path, offset, bytes }: Damage): Finding =>
  fault('damaged_header', path, 'neither copy of its header is readable', { offset, bytes, cost: {} })

async function describe(file: ReadableFile, { marker }: JournalHeader, stretch: Damage): Promise<Finding> {
  const { path, offset, bytes } = stretch
  const place = { offset, bytes }
  const where = `${bytes} bytes at offset ${offset}`
  if (offset < FRAMES_START) {
    const what = `a copy of its header, ${where}, is damaged, and its frames are read without it`
    return fault('damaged_header', path, what, { ...place, cost: NO_ROW })
  }
  const rows = await lostRows(file, marker, stretch)
  const cost = rows === undefined ? {} : { rows }
  return fault('damaged_frames', path, `${where} do not match their checksum`, { ...place, cost })
}

/** Returns the rows in a damaged stretch, if the headers of all frames in the stretch are intact. */
async function lostRows(
  file: ReadableFile,
  marker: Uint8Array,
  { offset, bytes }: Damage,
): Promise<number | undefined> {
  let rows = 0
  for (let at = offset; at < offset + bytes; ) {
    const header = decodeFrameHeader(await readAt(file, at, FRAME_HEADER_BYTES), marker, at)
    if (header === undefined) return undefined
    rows += header.rows
    at += frameBytes(header.payloadBytes)
  }
  return rows
}
