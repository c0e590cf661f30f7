import { once } from 'node:events'
import { type Served, until } from './program.js'

const LINES_A_WRITE = 2_000
const DAYS_US = 6 * 86_400e6

/** Writes lines to the program as fast as it takes them. */
export async function write({ child }: Served, count: number, lineOf: (number: number) => string): Promise<void> {
  const stdin = child.stdin!
  for (let from = 0; from < count; from += LINES_A_WRITE) {
    const lines = Array.from({ length: Math.min(LINES_A_WRITE, count - from) }, (_, i) => lineOf(from + i))
    if (!stdin.write(lines.join(''))) await once(stdin, 'drain')
  }
}

/** How many rows of a source can be seen. */
export const visibleRows = (service: Served, source = 'edge_logs') => service.metric(`logweir_rows{source="${source}"}`)

/** Waits until so many rows of a source can be seen. */
export async function untilVisible(service: Served, rows: number, source = 'edge_logs'): Promise<void> {
  await until(
    () => visibleRows(service, source),
    (visible) => visible === rows,
    120_000,
  )
}

/**
 * Feeds edge requests of the last days, each of another URL, so that a pattern has to look at every one of them. The
 * pipe stays open.
 */
export async function feedEdges(service: Served, rows: number): Promise<void> {
  const startUs = Date.now() * 1000 - DAYS_US
  const edge = (i: number) => {
    const path = `/rest/v1/table${i % 100}`
    const url = `https://project${i % 1000}.example.com${path}?id=eq.${i}`
    const timestamp = startUs + Math.floor((i / rows) * DAYS_US)
    return `{"source":"edge_logs","project":"project${i % 1000}","timestamp":${timestamp},"metadata":{"request":{"url":"${url}","path":"${path}"}}}\n`
  }
  await write(service, rows, edge)
  await untilVisible(service, rows)
}

/**
 * A question for {@link feedEdges}' rows: matches all of them, at RE2's slowest, since `\W` may hold a newline, and is
 * another for another number.
 */
export const heavyQuestion = (number: number) =>
  `/api/endpoints/query/usage.api-counts?interval=daily&project=${encodeURIComponent(`pro.ect\\d+.*\\W(rest|${number})`)}`
