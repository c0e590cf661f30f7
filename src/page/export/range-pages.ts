/** All rows of a query, page by page, from the newest to the oldest. */
import { MAX_EXPLORED_ROWS } from '../../common/limits.js'
import { cursorOf, failureOf, fetchHistogram, fetchLines, logRowOf, type Query } from '../api/explore.js'
import { pause } from '../api/pause.js'
import type { Work } from './source.js'

/** Attempts in a row, of which each waits as long as the service says, before the failure is shown. */
const MAX_ATTEMPTS = 20

/**
 * Reads the rows of a query, which has an end, as JSON. Each row is read once, also while rows arrive. Waits while the
 * service is busy or away. Throws a Failure.
 */
export async function* pagesOf(query: Query, work: Work): AsyncGenerator<readonly string[]> {
  let limit = MAX_EXPLORED_ROWS
  let before: string | undefined
  for (;;) {
    const lines = await patiently(work, () =>
      fetchLines(query, { limit, ...(before && { before }) }, work.signal),
    ).catch((error) => {
      // Long rows: fewer of them at once.
      if (limit === 1 || failureOf(error).code !== 'too_much_memory') throw error
      limit = Math.ceil(limit / 8)
    })
    if (lines === undefined) continue
    if (lines.length > 0) yield lines
    if (lines.length < limit) return
    before = cursorOf(logRowOf(lines.at(-1)!))
  }
}

/** Counts the rows of a query. Throws a Failure. */
export async function countOf(query: Query, work: Work): Promise<number> {
  const { rows } = await patiently(work, () => fetchHistogram(query, work.signal, 'nothing'))
  return rows.reduce((sum, row) => sum + row.count, 0)
}

/** Repeats a request as long as that may help. */
async function patiently<T>(work: Work, request: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await request()
      work.onWait('')
      return answer
    } catch (error) {
      work.signal.throwIfAborted()
      const { message, retryS } = failureOf(error)
      if (retryS === undefined || attempt === MAX_ATTEMPTS) throw error
      work.onWait(`${message} Trying again in ${retryS} s.`)
      await pause(retryS * 1_000, work.signal)
      work.signal.throwIfAborted()
    }
  }
}
