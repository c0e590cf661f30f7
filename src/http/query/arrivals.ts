import type { Clock } from '../../base/time/clock.js'
import type { SourceName } from '../../common/sources.js'

/** When records of each source were last accepted. */
export interface Arrivals {
  /** Called when records of a source have been accepted. */
  note(source: SourceName): void
  /** Whether an answer that was computed at `atMs` of the monotonic clock may lack records of any of the sources. */
  mayLack(sources: readonly SourceName[], atMs: number): boolean
}

/** `visibleMs`: how long after acceptance a record may be invisible to queries. */
export function createArrivals(clock: Clock, visibleMs = 0): Arrivals {
  const newestMs = new Map<SourceName, number>()
  return {
    note: (source) => void newestMs.set(source, clock.monotonicMs()),
    mayLack: (sources, atMs) =>
      sources.some((source) => {
        const ms = newestMs.get(source)
        return ms !== undefined && ms + visibleMs >= atMs
      }),
  }
}
