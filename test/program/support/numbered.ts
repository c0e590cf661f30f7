import { setTimeout as wait } from 'node:timers/promises'
import { formatIso8601 } from './pages.js'
import type { Served } from './program.js'

/** The project of numbered rows: row n has the id n, and is n microseconds after the start. */
export const PROJECT = 'numberedprojectabcde'

export function numberedLine(number: number, startUs: number, message = `row ${number}`): string {
  const start = `{"source":"edge_logs","id":"${number}","timestamp":${startUs + number}`
  return `${start},"project":"${PROJECT}","event_message":"${message}"}\n`
}

/**
 * Writes numbered rows, starting with `from`, at `rowsPerSecond`. The returned function stops and returns the number
 * after the last row that is in the pipe. Rows that this process still buffers are not counted.
 */
export function feed({ child }: Served, from: number, startUs: number, rowsPerSecond: number) {
  const stdin = child.stdin!
  const startedMs = performance.now()
  let next = from
  const timer = setInterval(() => {
    const due = from + Math.floor(((performance.now() - startedMs) / 1000) * rowsPerSecond)
    let lines = ''
    for (; next < due; next++) lines += numberedLine(next, startUs)
    if (stdin.writable) stdin.write(lines)
  }, 10)
  return () => {
    clearInterval(timer)
    return next - Math.floor(stdin.writableLength / numberedLine(next, startUs).length)
  }
}

/** Returns the highest number that a query shows, or -1 if the query shows no row. */
export async function highestShown(service: Served): Promise<number> {
  const [newest] = await service.rows(`logs.all?project=${PROJECT}&project_tier=ENTERPRISE`)
  return newest === undefined ? -1 : Number(newest.id)
}

/** Polls for the highest number. The returned function stops and returns the number. */
export function watchHighest(service: Served) {
  let highest = -1
  let isStopped = false
  const watching = (async () => {
    while (!isStopped) {
      highest = Math.max(highest, await highestShown(service).catch(() => -1))
      await wait(5)
    }
  })()
  return async () => {
    isStopped = true
    await watching
    return highest
  }
}

/**
 * Returns the numbers of all rows in [from, below), ascending, duplicates included. Reads page by page. Rows are
 * `spacingUs` apart.
 */
export async function allNumbers(
  service: Served,
  startUs: number,
  { from = 0, below = Number.POSITIVE_INFINITY, spacingUs = 1 } = {},
): Promise<number[]> {
  const numbers: number[] = []
  for (let endUs = startUs + below * spacingUs - 1; ; ) {
    const end = Number.isFinite(endUs) ? `&iso_timestamp_end=${formatIso8601(endUs)}` : ''
    const rows = await service.rows(`logs.all?project=${PROJECT}&project_tier=ENTERPRISE${end}`)
    numbers.push(...rows.map(({ id }) => Number(id)))
    if (rows.length < 100 || numbers.at(-1)! < from) break
    endUs = startUs + numbers.at(-1)! * spacingUs - 1
  }
  return numbers.filter((number) => number >= from).reverse()
}
