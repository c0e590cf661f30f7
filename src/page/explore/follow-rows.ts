/** Starts and stops following the rows of the list. */
import type { Query } from '../api/explore.js'
import { failureOf } from '../api/explore.js'
import { followQuery } from './live.js'
import { addRows, loadHistogram, loadNewer } from './load.js'
import { showFailure, showStatus } from './messages.js'
import type { Parts } from './parts.js'

/** Time between two requests of the histogram while rows arrive. */
const HISTOGRAM_MS = 5_000

/** Follows the rows of the query that the list has, which must have no end. */
export function startLive(parts: Parts): void {
  stopLive(parts)
  const abort = new AbortController()
  const live = { abort, text: 'connecting …' }
  parts.live = live
  parts.host.onLive(true)
  showStatus(parts)
  const say = (text: string) => {
    live.text = text
    showStatus(parts)
  }
  void followRows(parts, parts.query!, abort.signal, say).catch((error) => {
    if (abort.signal.aborted) return
    stopLive(parts)
    const failure = failureOf(error)
    if (!parts.host.isHandled(failure)) showFailure(parts, failure, () => startLive(parts))
  })
}

/** Stops following, if started. */
export function stopLive(parts: Parts): void {
  if (parts.live === undefined) return
  parts.live.abort.abort()
  parts.live = undefined
  parts.host.onLive(false)
  showStatus(parts)
}

async function followRows(parts: Parts, query: Query, signal: AbortSignal, say: (text: string) => void): Promise<void> {
  let isDue = false
  const timer = setInterval(() => {
    if (isDue && document.visibilityState === 'visible') void loadHistogram(parts)
    isDue = false
  }, HISTOGRAM_MS)
  signal.addEventListener('abort', () => clearInterval(timer))
  const catchUp = () => void loadNewer(parts).catch((error) => signal.aborted || say(failureOf(error).message))
  await followQuery(
    query,
    {
      onRows(rows) {
        isDue = true
        addRows(parts, rows)
      },
      onGap: catchUp,
      onState(text) {
        say(text === 'following' ? 'live' : text)
        // Rows may have arrived between the list's answer and the tail's.
        if (text === 'following') catchUp()
      },
    },
    signal,
  )
}
