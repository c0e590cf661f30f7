/**
 * Measures the path columns of a source: how many paths the records have, how many become columns, the bytes of a row
 * in the columns and in the other files, and the CPU time of a row for path columns and for compaction.
 *
 *   node bench/path-columns.mjs edge_logs            as the generator writes the records
 *   node bench/path-columns.mjs edge_logs optional   with headers that other records lack
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDiskFiles } from '../dist/engine/disk/files/files.js'
import { createColdTexts } from '../dist/engine/execute/open-batch/texts.js'
import { encodePaths } from '../dist/engine/store/files/path-file.js'
import { readColdFile, readSegmentFacts } from '../dist/engine/store/files/segment-file.js'
import { compactCold } from '../dist/engine/store/sealing/compact.js'
import { pathColumnsOfCold } from '../dist/engine/store/sealing/path-columns-of-cold.js'
import { generate } from '../dist/generate/generate.js'
import { SEED } from './data.mjs'
import { appendLines, openDirectory } from './engine.mjs'

const ROWS = 200_000
const DAY_US = 86_400e6
/** All rows are of one UTC day, so that each head becomes one segment. */
const OPTIONS = {
  rows: ROWS,
  seed: SEED,
  endUs: 20_700 * DAY_US,
  spanUs: DAY_US,
  slim: false,
  projects: 2_000,
  badEvery: 0,
}
const NEVER = () => undefined

const [source, form] = process.argv.slice(2)
const directory = mkdtempSync(join(tmpdir(), 'logweir-bench-paths-'))
const data = join(directory, 'data')
mkdirSync(data)
const engine = await openDirectory(data)
await appendLines(engine, generate({ ...OPTIONS, source, optionalHeaders: form === 'optional' }))
await engine.seal()
await engine.close()

const files = createDiskFiles(data)
const totals = { columns: 0, columnBytes: 0, otherBytes: 0, columnsUs: 0, compactionUs: 0, segments: 0 }
for (const day of await files.list(`segments/${source}`)) {
  for (const name of await files.list(`segments/${source}/${day}`))
    await addSegment(`segments/${source}/${day}/${name}`)
}
console.log(
  JSON.stringify({
    source,
    form,
    columns: totals.columns / totals.segments,
    columnBytesPerRow: totals.columnBytes / ROWS,
    otherBytesPerRow: totals.otherBytes / ROWS,
    columnsUsPerRow: totals.columnsUs / ROWS,
    compactionUsPerRow: totals.compactionUs / ROWS,
  }),
)
rmSync(directory, { recursive: true })
process.exit()

/** Adds the figures of a segment. Its columns are made twice: the second time, the code is compiled. */
async function addSegment(path) {
  const facts = await readSegmentFacts(files, path)
  const makeColumns = async () =>
    encodePaths(
      await pathColumnsOfCold(await readColdFile(files, path, facts), () => true, NEVER),
      facts,
      facts.fileBytes / 20,
    )
  await makeColumns()
  let content = []
  totals.columnsUs += await cpuUs(async () => {
    content = await makeColumns()
  })
  const made = await pathColumnsOfCold(await readColdFile(files, path, facts), () => true, NEVER)
  const cold = await readColdFile(files, path, facts)
  let compacted
  totals.compactionUs += await cpuUs(async () => {
    compacted = await compactCold(cold, createColdTexts(), () => true, NEVER)
  })
  totals.segments++
  totals.columns += made.length
  totals.columnBytes += content.reduce((sum, { length }) => sum + length, 0)
  totals.otherBytes += facts.fileBytes - facts.coldFileBytes + compacted.length
}

/** Returns the CPU time of some work, of all threads. */
async function cpuUs(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
