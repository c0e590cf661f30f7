import { expect } from 'vitest'
import { generated } from './generated.js'
import { run, serve, temporaryFolder } from './program.js'

/** Rows of each burst, and the limit of the disk, which is reached after some bursts. */
const BURST_ROWS = 6_000
const DISK = '3M'

/** How long a directory is checked, and at least how often, since a check takes seconds on a busy machine. */
export interface BusyTime {
  forMs: number
  checks: number
  /** The time without ingest between two bursts; 0 by default. */
  pauseMs?: number
}

/**
 * Checks the directory of a service again and again, while the service ingests at full speed in bursts, seals heads,
 * and deletes old segments. The service compacts in a long pause. Expects that no check finds anything. Returns the
 * rows of sealed segments that the limit of the disk has deleted.
 */
export async function checkWhileBusy({ forMs, checks, pauseMs = 0 }: BusyTime): Promise<number> {
  const dataDir = temporaryFolder()
  const service = await serve(['--data-dir', dataDir, '--memory-limit', '16M', '--max-disk-bytes', DISK])
  const endMs = performance.now() + forMs
  const burst = generated('--rows', `${BURST_ROWS}`, '--source', 'edge_logs', '--span', '1h')
  let isDone = false
  const feeding = (async () => {
    while (!isDone) {
      await new Promise((resolve) => service.child.stdin!.write(burst, resolve))
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  })()
  try {
    for (let check = 0; check < checks || performance.now() < endMs; check++) {
      const { code, stdout, stderr } = await run(['check', dataDir])
      const noFault = expect.stringMatching(/^read [\d,]+ files?, [\d,]+ rows?, .*: no fault\n$/)
      expect([code, stderr, stdout.toString()]).toEqual([0, '', noFault])
    }
  } finally {
    isDone = true
    await feeding
  }
  return await service.metric('logweir_evicted_rows_total{source="edge_logs",limit="disk"}')
}
