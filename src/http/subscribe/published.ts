import { changeJson, eventBytes, type StateEvent, snapshotBytes, snapshotJson } from './events.js'
import type { HeldBytes } from './held-bytes.js'
import { changeOf, isSame, type Result } from './result.js'
import { randomName, readWatermark, writeWatermark } from './watermark.js'

/**
 * The states of a query's answer, numbered from 1: the last result, and the changes that led to it. A reader only keeps
 * the number of its state.
 */
export interface Published {
  /** The number of the last state. 0 before the first. */
  readonly number: number
  /** The bytes of the last result. */
  readonly resultBytes: number
  /** Publishes a result. Returns false if the answer is that of the last state, which then stays. */
  publish(result: Result): boolean
  /** Returns the event that a reader of a state is sent next. Undefined if the state is the last. */
  after(number: number): StateEvent | undefined
  /** Returns the state from which a reader with this Last-Event-ID goes on. 0 if it needs the whole answer. */
  stateOf(lastEventId: string | null): number
  /** Frees the changes and the encoded answer. Readers of earlier states will be sent the whole answer. */
  forgetEvents(): void
  /** Frees everything. */
  close(): void
}

interface State {
  process: string
  query: string
  held: HeldBytes
  result: Result | undefined
  number: number
  /** The changes to the last states, without a gap. Together not longer than the whole answer, or than the limit. */
  changes: StateEvent[]
  changesBytes: number
  changesLimitBytes: number
  snapshot: StateEvent | undefined
}

/**
 * Creates the states of a query, with none yet. Changes of at most `changesLimitBytes` are kept for clients that
 * reconnect, also if the whole answer is shorter.
 */
export function createPublished(process: string, held: HeldBytes, changesLimitBytes: number): Published {
  const start = { result: undefined, number: 0, changes: [], changesBytes: 0, snapshot: undefined }
  const state: State = { process, query: randomName(), held, changesLimitBytes, ...start }
  return {
    get number() {
      return state.number
    },
    get resultBytes() {
      return state.result?.heldBytes ?? 0
    },
    publish: (result) => publish(state, result),
    after: (number) => after(state, number),
    stateOf: (lastEventId) => stateOf(state, lastEventId),
    forgetEvents: () => forgetEvents(state),
    close() {
      forgetEvents(state)
      held.add(-(state.result?.heldBytes ?? 0))
      state.result = undefined
    },
  }
}

const watermarkOf = ({ process, query, number }: State) => writeWatermark({ process, number, query })

function publish(state: State, result: Result): boolean {
  const before = state.result
  if (before !== undefined && isSame(before, result)) return false
  state.number++
  state.result = result
  state.held.add(result.heldBytes - (before?.heldBytes ?? 0))
  dropSnapshot(state)
  addChange(state, before, result)
  return true
}

/** Keeps the change to a result, unless the whole answer is shorter. */
function addChange(state: State, before: Result | undefined, result: Result): void {
  const { number, held } = state
  const watermark = watermarkOf(state)
  const change = before && changeOf(before, result)
  const json = change && changeJson(change, watermark)
  const wholeBytes = snapshotBytes(result, watermark)
  if (json === undefined || Buffer.byteLength(json) > wholeBytes) {
    dropChanges(state)
    return
  }
  const event = { number, bytes: eventBytes('change', json, watermark) }
  held.hold(event)
  state.changes.push(event)
  state.changesBytes += event.bytes.length
  const mostBytes = Math.max(wholeBytes, state.changesLimitBytes)
  while (state.changes.length > 1 && state.changesBytes > mostBytes) dropOldestChange(state)
}

function dropOldestChange(state: State): void {
  const event = state.changes.shift()!
  state.changesBytes -= event.bytes.length
  state.held.release(event)
}

function dropChanges(state: State): void {
  for (const event of state.changes) state.held.release(event)
  state.changes = []
  state.changesBytes = 0
}

function dropSnapshot(state: State): void {
  if (state.snapshot !== undefined) state.held.release(state.snapshot)
  state.snapshot = undefined
}

function forgetEvents(state: State): void {
  dropChanges(state)
  dropSnapshot(state)
}

function after(state: State, number: number): StateEvent | undefined {
  const { changes, result } = state
  if (number >= state.number || result === undefined) return undefined
  const firstState = state.number - changes.length
  if (number >= firstState && number > 0) return changes[number - firstState]
  state.snapshot ??= snapshotOf(state, result)
  return state.snapshot
}

function snapshotOf(state: State, result: Result): StateEvent {
  const watermark = watermarkOf(state)
  const event = {
    number: state.number,
    bytes: eventBytes('snapshot', snapshotJson(result, watermark), watermark),
  }
  state.held.hold(event)
  return event
}

function stateOf({ process, query, number, changes }: State, lastEventId: string | null): number {
  const given = lastEventId === null ? undefined : readWatermark(lastEventId)
  if (given?.process !== process || given.query !== query) return 0
  const isKept = given.number <= number && given.number >= number - changes.length
  return isKept && given.number > 0 ? given.number : 0
}
