import { CompressionType, compressionRegistry, tableFromIPC } from 'apache-arrow'
import { Footer } from 'apache-arrow/ipc/metadata/file'
import { DAY_US } from '../../src/base/units.js'
import { withoutHistory } from '../../src/retention/history.js'
import { keptToJson } from '../../src/retention/kept-json.js'
import { sameForAll } from '../../src/retention/rules.js'
import { writeStored } from '../../src/retention/stored-retention.js'
import { openPersistence } from '../engine/store/persistence/open-persistence.js'
import { manyRecords } from '../support/many-records.js'
import { createModelFiles, type ModelFiles } from '../support/model-files.js'
import { NINE_AND_OWN } from '../support/own-source.js'
import type { Random } from '../support/random.js'
import { database, type PartialRecord, type TestRecord } from '../support/records.js'
import { decompressFrame } from '../support/zstd-frames.js'

/** Returns a record as a line, in the form of the rows of {@link Sample}. */
export const rowText = ({ timestampUs, project, id, event_message, metadata }: TestRecord): string =>
  [timestampUs, project, id, event_message, metadata].join(' ')

/** All files of a directory, by their paths. */
export type Contents = ReadonlyMap<string, Buffer>

/** Bytes of a file without which some rows cannot be read whole. */
export interface Unit {
  path: string
  start: number
  end: number
  /** The rows, as the store returns them. */
  rows: readonly string[]
}

/** The data directory that a killed process has left. */
export interface Sample {
  contents: Contents
  /** Frames of journals, and batches of cold files. */
  units: readonly Unit[]
  /** All rows, sorted. */
  rows: readonly string[]
}

const BATCH_ROWS = 40
const FORMAT = '{"format":"logweir","version":1}\n'
const TOKEN = { id: '0123abcd', sha256: '0a'.repeat(32), scopes: ['query'], created: '2026-11-20T10:00:00Z' }
const TOKENS = JSON.stringify({ tokens: [TOKEN] })
const REJECTS = '{"line":1,"reason":"invalid_json","text":"a"}\n{"line":2,"reason":"unknown_source","text":"b"}\n'

/** Makes a directory with segments of two sources, of two days if there are many records, and journals of three. */
export async function makeSample(random: Random, records = 1900): Promise<Sample> {
  const files = createModelFiles()
  files.put('format.json', Buffer.from(FORMAT))
  files.put('tokens.json', Buffer.from(TOKENS))
  await writeStored(files, Buffer.from(keptToJson(withoutHistory(sameForAll(DAY_US)))))
  files.put('rejects.ndjson', Buffer.from(REJECTS))
  const store = await openPersistence(files, 400)
  const all = [...manyRecords(random, records), ...Array.from({ length: 200 }, (_, i) => database(severe(i)))]
  const units: Unit[] = []
  for (const source of NINE_AND_OWN) {
    const own = all.filter((record) => record.source === source)
    for (let from = 0; from < own.length; from += BATCH_ROWS) await store.append(...own.slice(from, from + BATCH_ROWS))
  }
  await store.store.settled()
  const contents = await contentsOf(files.restart())
  const byId = new Map(all.map((record) => [`${record.source} ${record.id}`, rowText(record)]))
  for (const [path, bytes] of contents) units.push(...unitsOf(path, bytes, byId))
  return { contents, units, rows: all.map(rowText).sort() }
}

const severe = (i: number): PartialRecord => ({
  id: `${i}`,
  timestampUs: Date.UTC(2026, 10, 25) * 1000 + i,
  event_message: `row ${i} ${'x'.repeat(i % 40)}`,
  metadata: { parsed: { error_severity: i % 3 === 0 ? 'ERROR' : 'LOG' } },
})

/** Returns all files below a directory. */
export async function contentsOf(files: ModelFiles, directory = ''): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>()
  for (const name of await files.list(directory)) {
    const path = directory === '' ? name : `${directory}/${name}`
    if ((await files.list(path)).length > 0)
      for (const [at, bytes] of await contentsOf(files, path)) contents.set(at, bytes)
    else if (isFile(files, path)) contents.set(path, files.peek(path)!)
  }
  return contents
}

function isFile(files: ModelFiles, path: string): boolean {
  try {
    return files.peek(path) !== undefined
  } catch {
    return false
  }
}

/** Returns files with contents, as if the files had always been there. */
export function filesWith(contents: Contents): ModelFiles {
  const files = createModelFiles()
  for (const [path, bytes] of contents) files.put(path, bytes)
  return files
}

/** The first frame of a journal, and the length of a frame's header. */
const [FRAMES_START, FRAME_HEADER] = [4160, 24]

/** Parses a file by hand: the frames of a journal, or the batches of a cold file. */
function unitsOf(path: string, bytes: Buffer, byId: ReadonlyMap<string, string>): Unit[] {
  const [, source = ''] = /^(?:journal\/|segments\/)([a-z_]+)/.exec(path) ?? []
  if (path.startsWith('journal/')) return framesOf(path, bytes, (id) => byId.get(`${source} ${id}`)!)
  return path.endsWith('/cold.arrow') ? batchesOf(path, bytes, (id) => byId.get(`${source} ${id}`)!) : []
}

function framesOf(path: string, bytes: Buffer, rowWith: (id: string) => string): Unit[] {
  const frames: Unit[] = []
  for (let start = FRAMES_START; start < bytes.length; ) {
    const payload = start + FRAME_HEADER
    const end = payload + bytes.readUInt32LE(start + 8)
    const ids = tableFromIPC(bytes.subarray(payload, end)).getChild('id')!.toArray() as Iterable<string>
    frames.push({ path, start, end, rows: Array.from(ids, rowWith) })
    start = 8 * Math.ceil(end / 8)
  }
  return frames
}

function batchesOf(path: string, bytes: Buffer, rowWith: (id: string) => string): Unit[] {
  compressionRegistry.set(CompressionType.ZSTD, { decode: decompressFrame })
  const footerBytes = bytes.readUInt32LE(bytes.length - 10)
  const footer = Footer.decode(bytes.subarray(bytes.length - 10 - footerBytes, bytes.length - 10))
  const places = [...footer.recordBatches()]
  return tableFromIPC(bytes).batches.map((batch, i): Unit => {
    const { offset, metaDataLength, bodyLength } = places[i]!
    const ids = batch.getChild('id')!.toArray() as Iterable<string>
    return { path, start: offset, end: offset + metaDataLength + bodyLength, rows: Array.from(ids, rowWith) }
  })
}
