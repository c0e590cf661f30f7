/** A record that came live: its time, and its event. */
export interface Entry {
  timestampUs: number
  event: Buffer
}

/** The latest records of a channel, numbered from 0 in order of arrival. */
export interface Backlog {
  /** Those from `first` to before `end` are held. */
  readonly first: number
  readonly end: number
  readonly bytes: number
  push(entry: Entry): void
  /** Lets go of the oldest. */
  shift(): void
  /** The events from `number` on until they are so many bytes, and which comes next. */
  read(number: number, wantedBytes: number): { bytes: Buffer; next: number }
  /** All that are held. */
  entries(): Iterable<[number: number, entry: Entry]>
}

/** What an entry takes beside its event, about. */
const ENTRY_BYTES = 256

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
