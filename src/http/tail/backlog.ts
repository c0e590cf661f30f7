/** A record that arrived live: time and event. */
interface Entry {
  timestampUs: number
  event: Buffer
}

/**
 * The latest records of a channel, numbered from 0 in order of arrival. The records from `first` to before `end` are in
 * memory.
 */
export interface Backlog {
  readonly first: number
  readonly end: number
  readonly bytes: number
  push(entry: Entry): void
  /** Deletes the oldest record. */
  shift(): void
  /** Returns the events from `number` on, at least `wantedBytes` if there are that many, and the next number. */
  read(number: number, wantedBytes: number): { bytes: Buffer; next: number }
  entries(): Iterable<[number: number, entry: Entry]>
}

/** Approximate bytes of an entry in addition to the event. */
const ENTRY_BYTES = 256

/** Creates an empty backlog. A backlog has no limit: the caller shifts. */
export function createBacklog(): Backlog {
  const entries = new Map<number, Entry>()
  let first = 0
  let end = 0
  let bytes = 0
  return {
    get first() {
      return first
    },
    get end() {
      return end
    },
    get bytes() {
      return bytes
    },
    push(entry) {
      entries.set(end++, entry)
      bytes += ENTRY_BYTES + entry.event.length
    },
    shift() {
      bytes -= ENTRY_BYTES + entries.get(first)!.event.length
      entries.delete(first++)
    },
    read(number, wantedBytes) {
      const events: Buffer[] = []
      let next = number
      for (let length = 0; next < end && length < wantedBytes; next++) {
        const { event } = entries.get(next)!
        events.push(event)
        length += event.length
      }
      return { bytes: Buffer.concat(events), next }
    },
    entries: () => entries.entries(),
  }
}
