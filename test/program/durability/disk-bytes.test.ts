import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { readSegmentFacts } from '../../../src/engine/arrow/storage/disk/segment/segment-file.js'
import { createDiskFiles } from '../../../src/engine/disk/files.js'
import type { SourceName } from '../../../src/sources.js'
import { eventually } from '../../support/eventually.js'
import { type Program, run, serve, temporaryFolder } from '../program.js'

/** Enough for one head of full lines to be sealed. */
const ROWS = 56_000
/** Of lines; less than what counts as slow, so that a head has time to be made small. */
const SLOW_BYTES_PER_SECOND = 4_000_000

type Feed = (service: Program, lines: string) => Promise<void>

const atFullSpeed: Feed = async ({ child }, lines) => {
  createReadStream(lines).pipe(child.stdin!)
}

const slowly: Feed = async ({ child }, lines) => {
  const bytes = readFileSync(lines)
  const startedMs = performance.now()
  for (let from = 0; from < bytes.length; ) {
    await sleep(50)
    const due = Math.floor((SLOW_BYTES_PER_SECOND * (performance.now() - startedMs)) / 1000)
    child.stdin!.write(bytes.subarray(from, due))
    from = due
  }
  child.stdin!.end()
}

/** Bytes of a row on disk, of those that are sealed when lines of a source have been taken in. */
async function bytesOfRow(source: SourceName, feed: Feed): Promise<number> {
  const lines = join(temporaryFolder(), 'lines.ndjson')
  const args = ['generate', '--rows', `${ROWS}`, '--seed', '1', '--source', source, '--span', '1d']
  await writeFile(lines, (await run(args)).stdout)
  const directory = temporaryFolder()
  const service = await serve(['--data-dir', directory])
  await feed(service, lines)
  await service.says(/standard input ended: \d+ rows taken, 0 rejected\n/)
  // A head that is being sealed when the service is stopped is sealed in a hurry.
  await eventually(() => expect(readdirSync(join(directory, 'journal'))).toHaveLength(1))
  service.child.kill('SIGTERM')
  await service.exit
  const files = createDiskFiles(directory)
  let [rows, bytes] = [0, 0]
  for (const day of readdirSync(join(directory, 'segments', source))) {
    for (const name of readdirSync(join(directory, 'segments', source, day))) {
      const facts = await readSegmentFacts(files, join('segments', source, day, name))
      rows += facts.rows
      bytes += facts.fileBytes
    }
  }
  console.log(`${source}, ${feed.name}: ${rows} rows on disk, ${(bytes / rows).toFixed(1)} bytes each`)
  expect(rows).toBeGreaterThan(ROWS / 2)
  return bytes / rows
}

const MOST: [Feed, Partial<Record<SourceName, number>>][] = [
  [atFullSpeed, { edge_logs: 313, function_edge_logs: 211 }],
  [slowly, { edge_logs: 270, function_edge_logs: 183 }],
]

describe('a full row on disk', () => {
  it.each(MOST)('that comes %o takes %o bytes at most', async (feed, most) => {
    const measured = Object.keys(most).map(async (source) => [source, await bytesOfRow(source as SourceName, feed)])
    for (const [source, bytes] of await Promise.all(measured)) {
      expect(bytes, `${source}`).toBeLessThanOrEqual(most[source as SourceName]!)
    }
  })
})
