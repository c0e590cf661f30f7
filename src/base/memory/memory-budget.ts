/** The memory that all queries share, with their answers that wait for clients. */

import { LogweirError } from '../errors.js'
import { createYielder, type Yielder } from '../scheduling/time-slices.js'
import type { Clock } from '../time/clock.js'
import { KIB, MIB } from '../units.js'

/** Limits of a budget. Each has a small value in tests. */
export interface BudgetLimits {
  /** All shares together. */
  bytes: number
  /** One share: at most half of `bytes`. Half is for running queries, and half for answers that wait. */
  shareBytes: number
  /** A running query of at most this size never waits. */
  smallBytes: number
  /** How long a query may wait. */
  waitMs: number
  /** A client that takes less than {@link PROGRESS_BYTES} of an answer in this time is slow. */
  slowMs: number
}

/** The memory of all queries. */
export interface MemoryBudget {
  /** Opens the share of a query. The new share has no bytes. */
  open(): MemoryShare
  usedBytes(): number
}

/**
 * The memory of a query. Queries that are larger than `smallBytes` run only if each running large query can grow to
 * `shareBytes`. The other large queries wait, in FIFO order, and keep the little memory that they have: no two queries
 * wait for each other.
 */
export interface MemoryShare {
  /** The most bytes that the query may have. */
  readonly limitBytes: number
  readonly bytes: number
  /** Counts more bytes, or fewer. */
  add(bytes: number): void
  /**
   * Returns undefined if the query may go on, else a promise that resolves when the query may go on. Rejects with
   * `overloaded` after `waitMs`, and with the reason of the signal once the signal is aborted. Throws
   * `too_much_memory` if a running query has more than `limitBytes`.
   */
  room(signal?: AbortSignal): Promise<void> | undefined
  /** Like `room`, before the query of an answer that will wait for a client. */
  roomToSend(signal?: AbortSignal): Promise<void> | undefined
  /** Whether `roomToSend` would not wait. */
  hasRoomToSend(): boolean
  /** Like `room`, before the next chunk of an answer: only answers that have grown since their start wait. */
  roomForChunk(): Promise<void> | undefined
  /**
   * From now on the bytes wait for a client. `cut` closes the client's connection: `cut` is called if other queries
   * wait for the memory and the client is slow. The share is released then.
   */
  startSending(cut: () => void): void
  /** Notes that the client has taken bytes of the answer. */
  taken(bytes: number): void
  /** Frees all bytes. Later calls of any function count nothing. */
  release(): void
}

/** Answers may exceed the budget by this factor if later chunks are longer than the first chunks. */
const CHUNKS_FACTOR = 1.25
/** See {@link BudgetLimits.slowMs}: with 3 s, 21 KiB a second. */
export const PROGRESS_BYTES = 64 * KIB
const CHECK_MS = 500

/** The share for queries and their answers of the memory limit beyond the share of the runtime. */
const BUDGET_SHARE = 1 / 4
const RUNTIME_BYTES = 64 * MIB
/** The share of the memory limit for queries and their answers if the limit is hardly more than the runtime takes. */
const LEAST_SHARE = 1 / 8
/** The most bytes of a query, whatever the memory limit. */
const MAX_SHARE_BYTES = 128 * MIB

/** Returns the limits of a process with a memory limit. */
export function budgetLimits(memoryLimitBytes: number): BudgetLimits {
  const bytes = Math.max(memoryLimitBytes * LEAST_SHARE, (memoryLimitBytes - RUNTIME_BYTES) * BUDGET_SHARE)
  const shareBytes = Math.min(MAX_SHARE_BYTES, bytes / 2)
  return { bytes, shareBytes, smallBytes: shareBytes / 16, waitMs: 10_000, slowMs: 3_000 }
}

/** Returns the error `too_much_memory` with the limit in the message. */
export const tooMuchMemory = (limitBytes: number): LogweirError =>
  new LogweirError(
    'too_much_memory',
    `The query holds more than ${Math.round(limitBytes / MIB)} MiB of rows and groups. ` +
      'Ask for fewer rows, or for a shorter time.',
  )

const noRoom = (waitMs: number) =>
  new LogweirError('overloaded', `The query waited ${waitMs / 1000} s for memory. Try again shortly.`)

interface Share {
  bytes: number
  state: 'running' | 'large' | 'sending' | 'released'
  cut(): void
  /** The time at which the client had last taken {@link PROGRESS_BYTES}, and the bytes taken since. */
  progressMs: number
  takenBytes: number
}

/** A query that waits until `isFree` is true. */
interface Waiter {
  isFree(): boolean
  admit(): void
}

interface State {
  limits: BudgetLimits
  clock: Pick<Clock, 'monotonicMs' | 'every'>
  usedBytes: number
  sendingBytes: number
  large: number
  sending: Set<Share>
  /** In FIFO order: queries that want to grow, and queries before their answers wait for clients. */
  growing: Set<Waiter>
  starting: Set<Waiter>
}

/** Creates a budget without used bytes. */
export function createMemoryBudget(limits: BudgetLimits, clock: State['clock']): MemoryBudget {
  const state: State = {
    ...{ limits, clock, usedBytes: 0, sendingBytes: 0, large: 0 },
    ...{ sending: new Set<Share>(), growing: new Set<Waiter>(), starting: new Set<Waiter>() },
  }
  return { open: () => open(state), usedBytes: () => state.usedBytes }
}

function open(state: State): MemoryShare {
  const { limits, clock } = state
  const share: Share = { bytes: 0, state: 'running', cut() {}, progressMs: 0, takenBytes: 0 }
  const mayGrow = () => grow(state, share)
  const maySend = () => state.sendingBytes <= limits.bytes / 2
  const mayContinue = () => share.state === 'released' || state.sendingBytes <= CHUNKS_FACTOR * limits.bytes
  return {
    limitBytes: limits.shareBytes,
    get bytes() {
      return share.bytes
    },
    add: (bytes) => add(state, share, bytes),
    room(signal) {
      const isRunning = share.state === 'running' || share.state === 'large'
      if (isRunning && share.bytes > limits.shareBytes) throw tooMuchMemory(limits.shareBytes)
      return share.state !== 'running' || share.bytes <= limits.smallBytes || mayGrow()
        ? undefined
        : wait(state, state.growing, mayGrow, signal)
    },
    roomToSend: (signal) => (maySend() ? undefined : wait(state, state.starting, maySend, signal)),
    hasRoomToSend: maySend,
    roomForChunk: () => (mayContinue() ? undefined : wait(state, state.starting, mayContinue)),
    startSending(cut) {
      if (share.state === 'released') return
      leave(state, share)
      Object.assign(share, { state: 'sending', cut, progressMs: clock.monotonicMs(), takenBytes: 0 })
      state.sending.add(share)
      state.sendingBytes += share.bytes
      admitWaiters(state)
    },
    taken(bytes) {
      share.takenBytes += bytes
      if (share.takenBytes < PROGRESS_BYTES) return
      share.progressMs = clock.monotonicMs()
      share.takenBytes = 0
    },
    release: () => release(state, share),
  }
}

function add(state: State, share: Share, bytes: number): void {
  if (share.state === 'released') return
  share.bytes += bytes
  state.usedBytes += bytes
  if (share.state !== 'sending') return
  state.sendingBytes += bytes
  if (bytes < 0) admitWaiters(state)
}

/** Makes a running query large if all large queries can grow to their limit. Returns whether the query is large. */
function grow(state: State, share: Share): boolean {
  const { bytes, shareBytes } = state.limits
  if (share.state !== 'running') return true
  if ((state.large + 1) * shareBytes + Math.max(state.sendingBytes, bytes / 2) > bytes) return false
  share.state = 'large'
  state.large++
  return true
}

/** Ends the accounting of a share in the current state, before the share changes to another state. */
function leave(state: State, share: Share): void {
  if (share.state === 'large') state.large--
  if (share.state === 'sending') {
    state.sending.delete(share)
    state.sendingBytes -= share.bytes
  }
}

function release(state: State, share: Share): void {
  if (share.state === 'released') return
  leave(state, share)
  state.usedBytes -= share.bytes
  Object.assign(share, { state: 'released', bytes: 0 })
  admitWaiters(state)
}

function admitWaiters({ growing, starting }: State): void {
  for (const waiter of growing) {
    if (!waiter.isFree()) break
    waiter.admit()
  }
  for (const waiter of starting) if (waiter.isFree()) waiter.admit()
}

function wait(state: State, queue: Set<Waiter>, isFree: () => boolean, signal?: AbortSignal): Promise<void> {
  const { clock, limits } = state
  const endMs = clock.monotonicMs() + limits.waitMs
  return new Promise((resolve, reject) => {
    const leaveQueue = (settle: () => void) => {
      queue.delete(waiter)
      stopChecks()
      signal?.removeEventListener('abort', abort)
      settle()
    }
    const waiter: Waiter = { isFree, admit: () => leaveQueue(resolve) }
    const abort = () => leaveQueue(() => reject(signal!.reason))
    const stopChecks = clock.every(CHECK_MS, () => {
      cutSlow(state)
      if (queue.has(waiter) && clock.monotonicMs() >= endMs) leaveQueue(() => reject(noRoom(limits.waitMs)))
    })
    queue.add(waiter)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

/** Cuts the answers of slow clients, the largest first, until all answers together take at most their half. */
function cutSlow(state: State): void {
  const { clock, limits } = state
  const mostBytes = limits.bytes / 2
  if (state.sendingBytes <= mostBytes) return
  const sinceMs = clock.monotonicMs() - limits.slowMs
  const slow = [...state.sending].filter(({ progressMs }) => progressMs <= sinceMs)
  for (const share of slow.sort((a, b) => b.bytes - a.bytes)) {
    if (state.sendingBytes <= mostBytes) return
    const { cut } = share
    release(state, share)
    cut()
  }
}

/** Returns a yielder for the work of a query. The yielder also waits for the room of the query. */
export function createQueryYielder(memory: Pick<MemoryShare, 'room'>, signal?: AbortSignal): Yielder {
  const yieldIfDue = createYielder(signal)
  return () => {
    const waiting = memory.room(signal)
    return waiting === undefined ? yieldIfDue() : waiting.then(yieldIfDue)
  }
}

/** Counts the bytes that a part of a query holds: the function sets the number of bytes. */
export function createMeter({ add }: Pick<MemoryShare, 'add'>): (bytes: number) => void {
  let counted = 0
  return (bytes) => {
    if (bytes === counted) return
    add(bytes - counted)
    counted = bytes
  }
}

/** A share without a limit that counts nothing, for queries outside of a service. */
export const UNLIMITED_SHARE: MemoryShare = {
  limitBytes: Number.POSITIVE_INFINITY,
  bytes: 0,
  add() {},
  room: () => undefined,
  roomToSend: () => undefined,
  hasRoomToSend: () => true,
  roomForChunk: () => undefined,
  startSending() {},
  taken() {},
  release() {},
}
