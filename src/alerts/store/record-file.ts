import { crc32 } from 'node:zlib'
import { type Files, type WritableFile, writeFile } from '../../engine/disk/files/files.js'

/** The records of a file, up to the first damage. */
export interface ReadRecords {
  records: unknown[]
  /** The number of lines behind the last whole record. A crash leaves at most the part of a line. */
  damagedLines: number
}

/** A file of records that grows. */
export interface RecordFile {
  /** The size in bytes. */
  bytes(): number
  /** Appends records, and makes all records survive a power cut if `isSynced`. After an error the file is unusable. */
  append(records: readonly unknown[], isSynced: boolean): Promise<void>
  close(): Promise<void>
}

const CHECKSUM_DIGITS = 8

/** A line: the checksum of the JSON in hexadecimal, a space, the JSON. JSON has no line breaks. */
function lineOf(record: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(record))
  const checksum = crc32(json).toString(16).padStart(CHECKSUM_DIGITS, '0')
  return Buffer.concat([Buffer.from(`${checksum} `), json, Buffer.from('\n')])
}

/** Reads all records of a file. Rejects with the system's error. */
export async function readRecords(files: Files, path: string): Promise<ReadRecords> {
  const file = await files.openToRead(path)
  try {
    const bytes = Buffer.alloc(file.bytes)
    return parseRecords(bytes.subarray(0, await file.readAt(0, bytes)))
  } finally {
    await file.close()
  }
}

function parseRecords(bytes: Buffer): ReadRecords {
  const records: unknown[] = []
  let at = 0
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, at)) {
    const record = parseLine(bytes.subarray(at, end))
    if (record === undefined) break
    records.push(record)
    at = end + 1
  }
  return { records, damagedLines: countLines(bytes.subarray(at)) }
}

function parseLine(line: Buffer): unknown {
  const json = line.subarray(CHECKSUM_DIGITS + 1)
  const checksum = line.toString('latin1', 0, CHECKSUM_DIGITS)
  if (checksum !== crc32(json).toString(16).padStart(CHECKSUM_DIGITS, '0')) return undefined
  return JSON.parse(json.toString('utf8'))
}

const countLines = (bytes: Buffer): number =>
  bytes.length === 0 ? 0 : bytes.toString('latin1').trimEnd().split('\n').length

/**
 * Writes a new file with records, which exists whole or not at all, and opens the file for more. The directory must
 * exist. Rejects with the system's error.
 */
export async function createRecordFile(
  files: Files,
  directory: string,
  name: string,
  records: readonly unknown[],
): Promise<RecordFile> {
  const [path, unfinished] = [`${directory}/${name}`, `${directory}/${name}.new`]
  const lines = records.map(lineOf)
  await files.remove(unfinished)
  await writeFile(files, unfinished, lines)
  await files.rename(unfinished, path)
  await files.syncDirectory(directory)
  const file = await files.openToWrite(path)
  return appendable(
    file,
    lines.reduce((sum, { length }) => sum + length, 0),
  )
}

function appendable(file: WritableFile, bytes: number): RecordFile {
  let end = bytes
  return {
    bytes: () => end,
    async append(records, isSynced) {
      const lines = records.map(lineOf)
      await file.writeAt(end, lines)
      if (isSynced) await file.sync()
      end += lines.reduce((sum, { length }) => sum + length, 0)
    },
    close: () => file.close(),
  }
}
