/** Spans of time during which alerts were pending or firing, made of the changes of their states. */
import type { AlertState } from '../api/alerts.js'

/** A change of a state. Changes of the same lane are of the same alert. */
export interface LaneChange {
  lane: string
  /** In microseconds. */
  timeUs: number
  state: AlertState
}

/** A span, in microseconds. The end equals the start if the end is unknown. */
export interface StateSpan {
  state: 'pending' | 'firing'
  fromUs: number
  toUs: number
  /** Whether the state still holds at the end of the range. */
  isOpen: boolean
}

/** The spans of an alert, oldest first. */
export interface Lane {
  name: string
  spans: readonly StateSpan[]
}

/** Range of a timeline in microseconds. */
export interface TimelineRange {
  fromUs: number
  toUs: number
}

/**
 * Returns the lanes of changes, those that fired last first. An alert with `resolved` as the first change fired from
 * the start of the range. `isActive`: whether an alert that is pending at the end is still pending, since an alert that
 * stops being pending has no change.
 */
export function lanesOf(
  changes: readonly LaneChange[],
  range: TimelineRange,
  isActive: (lane: string) => boolean = () => false,
): Lane[] {
  const byLane = new Map<string, LaneChange[]>()
  for (const change of changes.toSorted((a, b) => a.timeUs - b.timeUs)) {
    const own = byLane.get(change.lane)
    if (own === undefined) byLane.set(change.lane, [change])
    else own.push(change)
  }
  const lanes = [...byLane].map(([name, own]) => ({ name, spans: spansOf(own, range, isActive(name)) }))
  const shown = lanes.filter(({ spans }) => spans.length > 0)
  const lastUs = ({ spans }: Lane) => spans.at(-1)!.toUs
  return shown.sort((a, b) => lastUs(b) - lastUs(a) || (a.name < b.name ? -1 : 1))
}

function spansOf(changes: readonly LaneChange[], { fromUs, toUs }: TimelineRange, isActive: boolean): StateSpan[] {
  const spans: StateSpan[] = []
  let open: { state: StateSpan['state']; fromUs: number } | undefined
  const end = (atUs: number, isOpen = false) => open && spans.push({ ...open, toUs: atUs, isOpen })
  for (const { timeUs, state } of changes) {
    if (state === 'resolved') {
      open ??= { state: 'firing', fromUs }
      end(timeUs)
      open = undefined
    } else if (open?.state !== state || state === 'pending') {
      // A pending alert that was pending before went back to nothing in between, at an unknown time.
      end(open?.state === state ? open.fromUs : timeUs)
      open = { state, fromUs: timeUs }
    }
  }
  const isStill = open?.state === 'firing' || isActive
  if (open !== undefined) end(isStill ? Math.max(toUs, open.fromUs) : open.fromUs, isStill)
  return spans.filter((span) => span.toUs >= fromUs && span.fromUs <= toUs)
}

/** Returns how often alerts began to fire, and for how long they fired within a range, in microseconds. */
export function firedIn(lanes: readonly Lane[], { fromUs, toUs }: TimelineRange): { times: number; lengthUs: number } {
  const fired = lanes.flatMap(({ spans }) => spans.filter(({ state }) => state === 'firing'))
  const lengthOf = (span: StateSpan) => Math.min(span.toUs, toUs) - Math.max(span.fromUs, fromUs)
  return { times: fired.length, lengthUs: fired.reduce((sum, span) => sum + Math.max(0, lengthOf(span)), 0) }
}
