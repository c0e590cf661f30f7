import { once } from 'node:events'
import { type Served, until } from './program.js'

const LINES_A_WRITE = 2_000
const DAYS_US = 6 * 86_400e6

/** Writes lines to standard input as fast as the program reads lines. */
export async function write({ child }: Served, count: number, lineOf: (number: number) => string): Promise<void> {
  const stdin = child.stdin!
  for (let from = 0; from < count; from += LINES_A_WRITE) {
    const lines = Array.from({ length: Math.min(LINES_A_WRITE, count - from) }, (_, i) => lineOf(from + i))
    if (!stdin.write(lines.join(''))) await once(stdin, 'drain')
  }
}

/** Returns the number of visible rows of a source. */
export const visibleRows = (service: Served, source = 'edge_logs') => service.metric(`logweir_rows{source="${source}"}`)

/** Waits until exactly `rows` rows of a source are visible. */
export async function untilVisible(service: Served, rows: number, source = 'edge_logs'): Promise<void> {
  await until(
    () => visibleRows(service, source),
    (visible) => visible === rows,
    120_000,
  )
}

/**
 * Writes edge requests of the last days, each with another URL, so that a pattern is matched against every URL. Leaves
 * standard input open.
 */
export async function feedEdges(service: Served, rows: number): Promise<void> {
  const startUs = Date.now() * 1000 - DAYS_US
  const edge = (i: number) => {
    const path = `/rest/v1/table${i % 100}`
    const url = `https://project${i % 1000}.example.com${path}?id=eq.${i}`
    const timestamp = startUs + Math.floor((i / rows) * DAYS_US)
    const metadata = `{"request":{"url":"${url}","path":"${path}"}}`
    return `{"source":"edge_logs","project":"project${i % 1000}","timestamp":${timestamp},"metadata":${metadata}}\n`
  }
  await write(service, rows, edge)
  await untilVisible(service, rows)
}

/**
 * Returns the path of a query that matches all rows of {@link feedEdges}, and slowly: `\W` may match a newline, so RE2
 * searches each row separately. Another number gives another pattern, so that no cache entry serves the query.
 */
export function heavyQuestion(number: number): string {
  const project = encodeURIComponent(`pro.ect\\d+.*\\W(rest|${number})`)
  return `/api/endpoints/query/usage.api-counts?interval=daily&project=${project}`
}
