import { MIB } from '../../base/units.js'
import type { AlertEvent } from '../states/state.js'

/** The most transitions of a backtest, and about the most bytes of their JSON. Tests lower the numbers. */
export const TRANSITION_LIMITS = { transitions: 10_000, bytes: 16 * MIB }

/** The latest transitions, as long as there is room. */
export interface Transitions {
  add(events: readonly AlertEvent[]): void
  /** Returns the latest transitions, oldest first, and how many earlier ones there were. */
  finish(): { events: AlertEvent[]; omitted: number }
}

/** Creates an empty list. */
export function createTransitions(limits = TRANSITION_LIMITS): Transitions {
  const kept: { event: AlertEvent; bytes: number }[] = []
  let first = 0
  let bytes = 0
  const isBeyond = () => kept.length - first > limits.transitions || (bytes > limits.bytes && first < kept.length)

  function add(event: AlertEvent): void {
    const added = bytesOf(event)
    kept.push({ event, bytes: added })
    bytes += added
    while (isBeyond()) {
      bytes -= kept[first].bytes
      // Without the content: the places before `first` only count.
      kept[first++] = NOTHING
    }
  }

  return {
    add: (events) => {
      for (const event of events) add(event)
    },
    finish: () => ({ events: kept.slice(first).map(({ event }) => event), omitted: first }),
  }
}

const NOTHING = { event: {} as AlertEvent, bytes: 0 }

/** Bytes of the parts of every transition, about. */
const FIXED_BYTES = 100

const bytesOf = ({ labels, values, text }: AlertEvent) =>
  FIXED_BYTES + Buffer.byteLength(JSON.stringify([labels, values, text]))
