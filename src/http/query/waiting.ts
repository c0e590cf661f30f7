import type { Clock } from '../../base/time/clock.js'

/** Calls `work` once, `delayMs` from now. Returns a function that cancels the call. */
export function callAfter(clock: Clock, delayMs: number, work: () => void): () => void {
  const stop = clock.every(delayMs, () => {
    stop()
    work()
  })
  return stop
}

/** Calls `work` when `signal` is aborted, at once if already aborted. Returns a function that removes the listener. */
export function onAbort(signal: AbortSignal, work: () => void): () => void {
  if (signal.aborted) work()
  else signal.addEventListener('abort', work, { once: true })
  return () => signal.removeEventListener('abort', work)
}
