import type { Clock } from '../../base/time/clock.js'
import type { IngestTotals } from '../thread/thread.js'

/** The values that are shown, and the terminal. */
export interface ProgressOptions {
  /** A terminal's output. */
  terminal: { write(text: string): unknown }
  clock: Clock
  totals(): IngestTotals
  /** Bytes read so far. */
  bytes(): number
}

const INTERVAL_MS = 500
const CLEAR_LINE = '\r\u001b[K'

/** Updates a line of a terminal twice a second. The returned function stops the updates and clears the line. */
export function startProgress({ terminal, clock, totals, bytes }: ProgressOptions): () => void {
  let last = { rows: 0, bytes: 0, ms: clock.monotonicMs() }

  function show(): void {
    const { taken, rejected } = totals()
    const now = { rows: taken, bytes: bytes(), ms: clock.monotonicMs() }
    const seconds = (now.ms - last.ms) / 1000
    if (seconds <= 0) return
    const rowRate = Math.round((now.rows - last.rows) / seconds)
    const byteRate = (now.bytes - last.bytes) / seconds / 1e6
    const rates = `${count(rowRate)} rows/s, ${byteRate.toFixed(1)} MB/s`
    terminal.write(`${CLEAR_LINE}${count(taken)} rows, ${rates}, ${count(rejected)} rejected`)
    last = now
  }

  const stop = clock.every(INTERVAL_MS, show)
  return () => {
    stop()
    terminal.write(CLEAR_LINE)
  }
}

const count = (n: number): string => n.toLocaleString('en-US')
