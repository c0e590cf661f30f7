import { LRUCache } from 'lru-cache'
import type { Metrics } from '../../base/metrics.js'
import type { Clock } from '../../base/time/clock.js'
import { MINUTE_US } from '../../base/units.js'
import { refusals } from '../reply/errors.js'
import { networkOf } from './network.js'

/** Limits of requests with a wrong token. */
export interface WrongTokenLimits {
  /** Wrong tokens of a network within a minute that are refused without delay. */
  freeAMinute: number
  /** The delay of further refusals, and the number of delayed refusals at a time, over all networks. */
  delayMs: number
  waiting: number
  /** The most networks that are remembered. The least recent network is forgotten first. */
  networks: number
}

/** The limits of the service. */
export const WRONG_TOKEN_LIMITS: WrongTokenLimits = { freeAMinute: 20, delayMs: 1_000, waiting: 64, networks: 4_096 }

/**
 * Counts requests without a valid token, and slows down a client that tries many tokens. Called after the token was
 * compared, and without the token: a delay depends on the number of wrong tokens only.
 */
export interface WrongTokens {
  /** Counts a request without any token. The request tries no token, and is never delayed. */
  noteMissing(): void
  /**
   * Counts a request with a wrong token from an address. The address is undefined if the connection has no address
   * any more. Returns undefined if the request is to be refused at once, else a promise that resolves when the request
   * is to be refused. The promise rejects with `abandoned` once `caller` is aborted. Throws `too_many_requests` if too
   * many refusals wait already.
   */
  noteWrong(address: string | undefined, caller: () => AbortSignal): Promise<void> | undefined
  /** Ends all delays, now and from now on. Called when the service stops. */
  endDelays(): void
}

const MINUTE_MS = MINUTE_US / 1000

/** Creates the counts, with no network known. */
export function createWrongTokens(
  { unauthorized }: Pick<Metrics, 'unauthorized'>,
  clock: Clock,
  limits: WrongTokenLimits = WRONG_TOKEN_LIMITS,
): WrongTokens {
  // Made for the first wrong token, since it allocates the room of all networks.
  let recent: ReturnType<typeof createRecent> | undefined
  const delays = createDelays(limits, clock)
  // Both counts are there from the start, so that a rate of the first wrong token can be computed.
  for (const reason of ['missing', 'wrong']) unauthorized.inc({ reason }, 0)
  return {
    noteMissing: () => unauthorized.inc({ reason: 'missing' }),
    noteWrong(address, caller) {
      unauthorized.inc({ reason: 'wrong' })
      if (address === undefined) return undefined
      recent ??= createRecent(limits, clock)
      if (recent.isFree(networkOf(address))) return undefined
      return delays.wait(caller())
    },
    endDelays: delays.end,
  }
}

/** The times of the latest wrong tokens of a network, in a ring. */
interface Times {
  ring: Float64Array
  next: number
}

/** Remembers the wrong tokens of the last minute, by network. */
function createRecent({ freeAMinute, networks }: WrongTokenLimits, clock: Clock) {
  const times = new LRUCache<string, Times>({ max: networks })

  function timesOf(network: string): Times {
    const known = times.get(network)
    if (known !== undefined) return known
    const made = { ring: new Float64Array(freeAMinute).fill(Number.NEGATIVE_INFINITY), next: 0 }
    times.set(network, made)
    return made
  }

  return {
    /** Notes another wrong token. Returns whether fewer than `freeAMinute` were noted in the minute before. */
    isFree(network: string): boolean {
      const noted = timesOf(network)
      const nowMs = clock.monotonicMs()
      const oldestMs = noted.ring[noted.next]
      noted.ring[noted.next] = nowMs
      noted.next = (noted.next + 1) % freeAMinute
      return nowMs - oldestMs >= MINUTE_MS
    },
  }
}

/** Delays refusals, at most `waiting` at a time. */
function createDelays({ delayMs, waiting }: WrongTokenLimits, clock: Clock) {
  const ends = new Set<() => void>()
  let isOver = false

  function delay(caller: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: () => void) => () => {
        ends.delete(end)
        stopTimer()
        caller.removeEventListener('abort', abandon)
        outcome()
      }
      const end = settle(resolve)
      const abandon = settle(() => reject(refusals.abandoned()))
      const stopTimer = clock.every(delayMs, end)
      caller.addEventListener('abort', abandon)
      ends.add(end)
    })
  }

  return {
    wait(caller: AbortSignal): Promise<void> | undefined {
      if (isOver) return undefined
      if (ends.size >= waiting) throw refusals.tooManyWrongTokens()
      return caller.aborted ? Promise.reject(refusals.abandoned()) : delay(caller)
    },
    end(): void {
      isOver = true
      for (const end of [...ends]) end()
    },
  }
}
