import { createReadStream, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSegmentFacts } from '../../../src/engine/arrow/storage/disk/segment/segment-file.js'
import { createDiskFiles } from '../../../src/engine/disk/files.js'
import type { SourceName } from '../../../src/sources.js'
import { run, serve, temporaryFolder } from '../program.js'

/** Enough for one head of full lines to be sealed. */
const ROWS = 56_000

/** Bytes of a row on disk, of those that are sealed when lines of a source have been taken in. */
async function bytesOfRow(source: SourceName): Promise<number> {
  const lines = join(temporaryFolder(), 'lines.ndjson')
  const args = ['generate', '--rows', `${ROWS}`, '--seed', '1', '--source', source, '--span', '1d']
  await writeFile(lines, (await run(args)).stdout)
  const directory = temporaryFolder()
  const service = await serve(['--data-dir', directory])
  createReadStream(lines).pipe(service.child.stdin!)
  await service.says(/standard input ended: \d+ rows taken, 0 rejected\n/)
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
  console.log(`${source}: ${rows} rows on disk, ${(bytes / rows).toFixed(1)} bytes each`)
  expect(rows).toBeGreaterThan(ROWS / 2)
  return bytes / rows
}

describe('a full row on disk takes', () => {
  it.each<[SourceName, number]>([
    ['edge_logs', 313],
    ['function_edge_logs', 211],
  ])('of %s at most %d bytes', async (source, most) => {
    expect(await bytesOfRow(source)).toBeLessThanOrEqual(most)
  })
})
