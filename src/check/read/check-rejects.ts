import { MIB } from '../../base/units.js'
import type { Files } from '../../engine/disk/files/files.js'
import { type Finding, fault, hasFault, note } from '../findings/finding.js'
import type { Report } from '../findings/report.js'

const NEWLINE = 0x0a
const CHUNK_BYTES = MIB

/** A line of a file: the bytes without the newline, and the place. */
export interface Line {
  bytes: Buffer
  offset: number
  /** False for the bytes after the last newline. */
  isEnded: boolean
}

/** Yields the lines of a file in order. Takes the memory of the longest line. */
export async function* linesOf(files: Files, path: string): AsyncGenerator<Line, void> {
  const file = await files.openToRead(path)
  try {
    let rest = Buffer.alloc(0)
    let offset = 0
    for (let at = 0; at < file.bytes; ) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, file.bytes - at))
      const read = await file.readAt(at, chunk)
      if (read === 0) break
      at += read
      rest = Buffer.concat([rest, chunk.subarray(0, read)])
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
        yield { bytes: rest.subarray(0, end), offset, isEnded: true }
        offset += end + 1
        rest = rest.subarray(end + 1)
      }
    }
    if (rest.length > 0) yield { bytes: rest, offset, isEnded: false }
  } finally {
    await file.close()
  }
}

const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/**
 * Whether a service has written a line of a rejects file: an entry, which is a JSON object, or the start of an entry. A
 * kill leaves the start of an entry, and the next start of the service adds the newline.
 */
export function isWritten({ bytes }: Line): boolean {
  if (bytes.at(-1) !== CLOSE_BRACE) return bytes[0] === OPEN_BRACE
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}

/** Reads a file of rejected lines, one line at a time. */
export async function checkRejects(files: Files, path: string): Promise<Report> {
  const findings: Finding[] = []
  let bytes = 0
  for await (const line of linesOf(files, path)) {
    bytes = line.offset + line.bytes.length + Number(line.isEnded)
    if (!isWritten(line)) findings.push(describe(path, line))
  }
  return {
    findings,
    rows: 0,
    files: 1,
    bytes,
    repair: hasFault(findings) ? { kind: 'rewrite_rejects', path } : undefined,
  }
}

function describe(path: string, { offset, bytes: { length: bytes }, isEnded }: Line): Finding {
  const where = `${bytes} bytes at offset ${offset}`
  if (!isEnded)
    return note('torn_end', path, `its last line, ${where}, is incomplete, as after a kill`, { offset, bytes })
  const cost = { instead: 'a rejected line' }
  return fault('damaged_rejects', path, `a line, ${where}, is no rejected line`, { offset, bytes, cost })
}
