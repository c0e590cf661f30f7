import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { readSegmentFacts } from '../../../src/engine/arrow/storage/files/segment-file.js'
import { createDiskFiles } from '../../../src/engine/disk/files/files.js'
import type { SourceName } from '../../../src/sources.js'
import { eventually } from '../../support/eventually.js'
import { type Program, run, serve, temporaryFolder } from '../support/program.js'

vi.setConfig({ testTimeout: 120_000 })

/** Enough for one head of full lines to be sealed. */
const ROWS = 56_000
/** Of lines; less than what counts as slow, so that a head has time to be made small. */
const SLOW_BYTES_PER_SECOND = 4_000_000
/** In which a flood is over, and a segment or two are made smaller. */
const QUIET_MS = 45_000

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

interface Taken {
  service: Program
  source: SourceName
  /** Bytes of a row on disk, of those that are sealed. */
  bytesOfRow(): Promise<number>
}

/** Takes in lines of a source, all of them of yesterday: a head of two days is two segments, whose rows take a hundredth more. */
async function take(source: SourceName, feed: Feed): Promise<Taken> {
  const lines = join(temporaryFolder(), 'lines.ndjson')
  const end = new Date(new Date().setUTCHours(0, 0, 0, 0) - 1).toISOString()
  const args = ['generate', '--rows', `${ROWS}`, '--seed', '1', '--source', source, '--span', '23h', '--end', end]
  await writeFile(lines, (await run(args)).stdout)
  const directory = temporaryFolder()
  const service = await serve(['--data-dir', directory])
  await feed(service, lines)
  await service.says(/standard input ended: \d+ rows accepted, 0 rejected\n/)
  // The journal of the head that is open is the only one when what is full is sealed.
  await eventually(() => expect(readdirSync(join(directory, 'journal'))).toHaveLength(1))
  const files = createDiskFiles(directory)
  return {
    service,
    source,
    async bytesOfRow() {
      let [rows, bytes] = [0, 0]
      for (const day of readdirSync(join(directory, 'segments', source))) {
        for (const name of readdirSync(join(directory, 'segments', source, day))) {
          const facts = await readSegmentFacts(files, join('segments', source, day, name))
          rows += facts.rows
          bytes += facts.fileBytes
        }
      }
      expect(rows).toBeGreaterThan(ROWS / 2)
      console.log(`${source}, ${feed.name}: ${rows} rows on disk, ${(bytes / rows).toFixed(1)} bytes each`)
      return bytes / rows
    },
  }
}

const takeBoth = (feed: Feed) =>
  Promise.all((['edge_logs', 'function_edge_logs'] as const).map((source) => take(source, feed)))

const AT_ONCE = { edge_logs: 313, function_edge_logs: 211 }
const IN_TIME = { edge_logs: 270, function_edge_logs: 183 }

type Most = typeof AT_ONCE

/** Expects rows to take no more than that, be it after a while. */
const expectAtMost = (taken: readonly Taken[], most: Most) =>
  Promise.all(
    taken.map(({ source, bytesOfRow }) =>
      vi.waitFor(async () => expect(await bytesOfRow(), source).toBeLessThanOrEqual(most[source as keyof Most]), {
        timeout: QUIET_MS,
        interval: 1000,
      }),
    ),
  )

describe('a full row on disk', () => {
  it('that comes slowly is small at once', async () => {
    const taken = await takeBoth(slowly)
    for (const { service } of taken) service.child.kill('SIGTERM')
    await Promise.all(taken.map(({ service }) => service.exit))
    await expectAtMost(taken, IN_TIME)
  })

  it('that comes at full speed is larger, and made smaller when it is quiet', async () => {
    const taken = await takeBoth(atFullSpeed)
    await expectAtMost(taken, AT_ONCE)
    await expectAtMost(taken, IN_TIME)
    for (const { service } of taken) service.child.kill('SIGTERM')
    for (const { service } of taken) expect(await service.exit).toBe(0)
  })
})
