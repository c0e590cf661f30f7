import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import type { SourceName } from '../../../src/common/sources.js'
import { createDiskFiles } from '../../../src/engine/disk/files/files.js'
import { readSegmentFacts } from '../../../src/engine/store/files/segment-file.js'
import { eventually } from '../../support/eventually.js'
import { generated } from './generated.js'
import { type Program, serve, temporaryFolder } from './program.js'

/** Enough for a head of full lines to be sealed. */
const ROWS = 56_000
/** The rate of lines: below the rate at which heads are sealed fast instead of small. */
const SLOW_BYTES_PER_SECOND = 4_000_000
/** Enough for a flood to count as over, and for a segment or two to be compacted. */
const COMPACTED_WITHIN_MS = 45_000

/** Most bytes of a row that was sealed during a flood. */
export const AFTER_FLOOD = { edge_logs: 313, function_edge_logs: 211 }
/** Most bytes of a row that was sealed with time, or compacted. */
export const COMPACT = { edge_logs: 270, function_edge_logs: 183 }

type Limits = typeof COMPACT

/** Sends a file of lines to a service and ends standard input. */
type Feed = (service: Program, lines: string) => Promise<void>

export const atFullSpeed: Feed = async ({ child }, lines) => {
  createReadStream(lines).pipe(child.stdin!)
}

export const slowly: Feed = async ({ child }, lines) => {
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

export interface Filled {
  service: Program
  source: SourceName
  /** Mean bytes of a sealed row on disk. */
  bytesOfRow(): Promise<number>
}

/**
 * Fills a service with the rows of a single source. All rows are of yesterday: a head of two days would become two
 * segments, with one percent more bytes per row.
 */
async function fill(source: SourceName, feed: Feed): Promise<Filled> {
  const lines = join(temporaryFolder(), 'lines.ndjson')
  const end = new Date(new Date().setUTCHours(0, 0, 0, 0) - 1).toISOString()
  const flags = ['--rows', `${ROWS}`, '--seed', '1', '--source', source, '--span', '23h', '--end', end]
  await writeFile(lines, generated(...flags))
  const directory = temporaryFolder()
  const service = await serve(['--data-dir', directory])
  await feed(service, lines)
  await service.waitForStderr(/standard input ended: \d+ rows accepted, 0 rejected\n/)
  // Once every full head is sealed, only the journal of the open head is left.
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

/** Fills a service for each of two sources, both at the same time. */
export const fillBoth = (feed: Feed): Promise<Filled[]> =>
  Promise.all((['edge_logs', 'function_edge_logs'] as const).map((source) => fill(source, feed)))

/** Waits until no row takes more than the limit, for as long as compaction may take. */
export const expectAtMost = (filled: readonly Filled[], limits: Limits) =>
  Promise.all(
    filled.map(({ source, bytesOfRow }) =>
      vi.waitFor(async () => expect(await bytesOfRow(), source).toBeLessThanOrEqual(limits[source as keyof Limits]), {
        timeout: COMPACTED_WITHIN_MS,
        interval: 1000,
      }),
    ),
  )
