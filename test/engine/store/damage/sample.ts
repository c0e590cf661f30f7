import { createMetrics } from '../../../../src/base/metrics.js'
import { DAY_US, GIB } from '../../../../src/base/units.js'
import { ownSourceNames, type SourceName } from '../../../../src/common/sources.js'
import { FRAMES_START } from '../../../../src/engine/disk/journal/header.js'
import { createColdTexts } from '../../../../src/engine/execute/open-batch/texts.js'
import { type ArrowEngine, createArrowEngine } from '../../../../src/engine/store/engine.js'
import {
  readSegmentFacts,
  readUncompactedCold,
  replaceColdFile,
} from '../../../../src/engine/store/files/segment-file.js'
import { compactCold } from '../../../../src/engine/store/sealing/compact.js'
import { createNoSealer } from '../../../../src/engine/store/sealing/no-sealer.js'
import { Rows, scan } from '../../../../src/plan/builder.js'
import { toBatch } from '../../../support/batch.js'
import { createFakeClock } from '../../../support/clock.js'
import { readAll } from '../../../support/engine.js'
import { createModelFiles, type ModelFiles } from '../../../support/model-files.js'
import { edge, invocation, type TestRecord } from '../../../support/records.js'
import { createTestSealer } from '../../../support/sealer.js'

/** A data directory with files of every kind, and the rows of each file. */

/** Also an own source, if the process has one. */
export const SOURCES: readonly SourceName[] = ['edge_logs', 'function_edge_logs', ...ownSourceNames()]
export const NOW_US = 20_778 * DAY_US

/** The rows of a frame, and the place of the frame in the file. */
interface SampleFrame {
  start: number
  payloadEnd: number
  end: number
  ids: readonly string[]
}

export interface Sample {
  /** The content of each file. */
  contents: ReadonlyMap<string, Buffer>
  records: ReadonlyMap<string, TestRecord>
  journals: ReadonlyMap<string, { source: SourceName; frames: readonly SampleFrame[] }>
  /** The ids of the rows of each segment, by the directory of the segment. */
  segments: ReadonlyMap<string, { source: SourceName; ids: readonly string[] }>
}

const BATCH_ROWS = 7

function batchOf(source: SourceName, number: number): TestRecord[] {
  return Array.from({ length: BATCH_ROWS }, (_, i) => {
    const id = `${source}-${number}-${i}`
    const given = {
      id,
      timestampUs: NOW_US - DAY_US * ((number + i) % 2) - number * 1000 - i,
      project: `p${i % 3}`,
      event_message: `message ${id} ${'text '.repeat(i * 5)}`,
      metadata: {
        request: { url: `u${number % 5}`, method: 'GET' },
        function_id: `f${i}`,
        other: { n: number * 10 + i },
      },
    }
    return { ...(source === 'function_edge_logs' ? invocation(given) : edge(given)), source }
  })
}

/** Settings of an engine over files, with the logged lines and the metrics of the engine. */
export function openOver(files: ModelFiles, options: { isSealing?: boolean } = {}) {
  const logged: { message: string; code?: string | undefined; path?: unknown }[] = []
  const metrics = createMetrics()
  const engine = createArrowEngine({
    clock: createFakeClock(NOW_US),
    metrics,
    rowsLimitBytes: GIB,
    sealer: options.isSealing === false ? createNoSealer() : createTestSealer(),
    sealRows: 2 * BATCH_ROWS,
    disk: { directory: 'data', files, release: async () => {} },
    log: (message, { code, path } = {}) => void logged.push({ message, code, path }),
  })
  return { engine, metrics, logged }
}

/** The rows of a source by id, in the form of an answer. */
export async function rowsIn(engine: ArrowEngine, source: SourceName) {
  const plan = scan(source, { fromUs: 0, throughUs: NOW_US }).select('id', 'event_message', 'project', 'metadata')
  return readAll(await engine.run(Rows.planOf(plan)))
}

/** Makes the directory: two lives seal their heads, the third leaves journals. One segment is compacted. */
export async function makeSample(): Promise<Sample> {
  let files = createModelFiles()
  const records = new Map<string, TestRecord>()
  const frames = new Map<string, SampleFrame[]>()
  let number = 0
  for (const isSealing of [true, true, false]) {
    const { engine } = openOver(files, { isSealing })
    await engine.recover()
    for (let i = 0; i < 3; i++, number++) {
      for (const source of SOURCES) {
        const batch = batchOf(source, number)
        for (const record of batch) records.set(record.id, record)
        const before = sizes(files)
        await engine.append(toBatch(source, batch))
        if (!isSealing) noteFrame(files, before, batch, frames)
      }
    }
    if (isSealing) {
      await engine.seal()
      await engine.close()
    }
    files = files.restart()
  }
  await compactFirst(files)
  for (const name of ['token', 'tokens.json', 'rejects.ndjson', 'format.json'])
    files.put(name, Buffer.from(`${name}\n`))
  const contents = new Map(files.paths().map((path) => [path, files.peek(path)!]))
  return { contents, records, journals: journalsOf(frames), segments: await segmentsOf(files) }
}

const sizes = (files: ModelFiles) => new Map(journalPaths(files).map((path) => [path, files.peek(path)!.length]))
const journalPaths = (files: ModelFiles) => files.paths().filter((path) => path.startsWith('journal/'))

function noteFrame(
  files: ModelFiles,
  before: ReadonlyMap<string, number>,
  batch: readonly TestRecord[],
  frames: Map<string, SampleFrame[]>,
): void {
  const path = journalPaths(files).find((name) => files.peek(name)!.length !== before.get(name))!
  const bytes = files.peek(path)!
  const start = before.get(path) ?? FRAMES_START
  const payloadEnd = start + 24 + bytes.readUInt32LE(start + 8)
  const frame = { start, payloadEnd, end: bytes.length, ids: batch.map(({ id }) => id) }
  frames.set(path, [...(frames.get(path) ?? []), frame])
}

const sourceIn = (path: string) => SOURCES.find((source) => path.split(/[/-]/).includes(source))!

const journalsOf = (frames: ReadonlyMap<string, SampleFrame[]>) =>
  new Map([...frames].map(([path, ofFile]) => [path, { source: sourceIn(path), frames: ofFile }]))

/** Finds the rows of each segment by opening a directory that has no other file. */
async function segmentsOf(files: ModelFiles) {
  const found = new Map<string, { source: SourceName; ids: readonly string[] }>()
  const directories = new Set(
    files
      .paths()
      .filter((path) => path.startsWith('segments/'))
      .map((path) => path.replace(/\/[^/]*$/, '')),
  )
  for (const directory of directories) {
    const alone = createModelFiles()
    for (const name of ['hot.arrow', 'cold.arrow'])
      alone.put(`${directory}/${name}`, files.peek(`${directory}/${name}`)!)
    const { engine } = openOver(alone)
    await engine.recover()
    const source = sourceIn(directory)
    found.set(directory, { source, ids: (await rowsIn(engine, source)).map(({ id }) => String(id)) })
    await engine.close()
  }
  return found
}

async function compactFirst(files: ModelFiles): Promise<void> {
  const directory = files
    .paths()
    .find((path) => path.startsWith('segments/'))!
    .replace(/\/[^/]*$/, '')
  const cold = await readUncompactedCold(files, directory, await readSegmentFacts(files, directory))
  const smaller = await compactCold(
    cold!,
    createColdTexts(),
    () => true,
    () => undefined,
  )
  await replaceColdFile(files, directory, smaller!)
}

/** Returns the files of a sample, as if the files had always been there. */
export function filesOf({ contents }: Pick<Sample, 'contents'>): ModelFiles {
  const files = createModelFiles()
  for (const [path, bytes] of contents) files.put(path, bytes)
  return files
}
