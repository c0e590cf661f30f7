import type { StateEvent } from './events.js'

/** The bytes of the results and events of all queries. An event counts once, however many streams send the event. */
export interface HeldBytes {
  readonly bytes: number
  /** Counts more bytes, or fewer. */
  add(bytes: number): void
  /** Counts an event until each holder has released the event. */
  hold(event: StateEvent): void
  release(event: StateEvent): void
}

/** Creates a count of 0. */
export function createHeldBytes(): HeldBytes {
  const holders = new Map<StateEvent, number>()
  let total = 0
  return {
    get bytes() {
      return total
    },
    add: (bytes) => void (total += bytes),
    hold(event) {
      const count = holders.get(event) ?? 0
      if (count === 0) total += event.bytes.length
      holders.set(event, count + 1)
    },
    release(event) {
      const count = holders.get(event)! - 1
      if (count > 0) {
        holders.set(event, count)
        return
      }
      holders.delete(event)
      total -= event.bytes.length
    },
  }
}
