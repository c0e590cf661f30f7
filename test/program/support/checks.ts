import { expect } from 'vitest'
import { generated } from './generated.js'
import { run, serve, temporaryFolder } from './program.js'

/** Rows of each burst, and the limit of the disk, which is reached after some bursts. */
const BURST_ROWS = 6_000
const DISK = '3M'

/** The checks of a directory, and the rows evicted meanwhile. */
export interface BusyChecks {
  checks: number
  /** Rows of sealed segments that the limit of the disk has deleted. */
  evicted: number
}

/**
 * Checks the directory of a service again and again, while the service ingests at full speed in bursts, seals heads,
 * and deletes old segments. Between the bursts the ingest pauses for `pauseMs`. The service compacts in a long pause.
 * Expects that no check finds anything.
 */
export async function checkWhileBusy({ forMs, pauseMs = 0 }: { forMs: number; pauseMs?: number }): Promise<BusyChecks> {
  const dataDir = temporaryFolder()
  const service = await serve(['--data-dir', dataDir, '--memory-limit', '16M', '--max-disk-bytes', DISK])
  const endMs = performance.now() + forMs
  const burst = generated('--rows', `${BURST_ROWS}`, '--source', 'edge_logs', '--span', '1h')
  let checks = 0
  const feeding = (async () => {
    while (performance.now() < endMs) {
      await new Promise((resolve) => service.child.stdin!.write(burst, resolve))
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  })()
  while (performance.now() < endMs) {
    const { code, stdout, stderr } = await run(['check', dataDir])
    const lines = stdout.toString()
    expect([code, stderr, lines]).toEqual([
      0,
      '',
      expect.stringMatching(/^read [\d,]+ files?, [\d,]+ rows?, .*: no fault\n$/),
    ])
    checks++
  }
  await feeding
  const evicted = await service.metric('logweir_evicted_rows_total{source="edge_logs",limit="disk"}')
  return { checks, evicted }
}
