import { HOUR_US, MILLISECOND_US, MINUTE_US, SECOND_US } from '../../base/units.js'

/** When a rule is evaluated, and how long a row has to be there or away. All in microseconds. */
export interface Timing {
  /** From a second to a day. */
  everyUs: number
  /** How long a row has to be there before its alert fires. */
  forUs: number
  /** How long an alert fires on without its row. */
  keepFiringUs: number
  /** How much `current_timestamp()` is behind the instant, for rows that arrive late. */
  delayUs: number
  /** After which time an alert that fires on is notified again. */
  repeatUs: number
}

/** The times of a rule that says only `every`. */
export const DEFAULT_TIMES = { forUs: 0, keepFiringUs: 0, delayUs: 10 * SECOND_US, repeatUs: 4 * HOUR_US } as const

/** The shortest time without a resolved alert after a start, or after a jump of the clock. */
const MIN_HOLD_US = 5 * MINUTE_US
/** A clock that is set by more than this much has jumped. */
export const JUMP_US = MINUTE_US

/** Returns how long nothing is resolved after a start, and after a jump of the clock. */
export const holdUs = ({ forUs, keepFiringUs }: Timing): number => Math.max(MIN_HOLD_US, forUs, keepFiringUs)

/** An instant that is due, and how many before it were missed. */
export interface DueInstant {
  instantUs: number
  skipped: number
}

/**
 * Returns the instant that is due at a time: the latest multiple of `every` since 1970. Undefined if that instant is
 * before `armedUs`, when the process began to watch the rule, or not behind `lastUs`, the last instant that was
 * evaluated, as after a clock was set back. Missed instants are counted from `lastUs` on, and are never made up.
 */
export function dueInstant(
  everyUs: number,
  { nowUs, armedUs, lastUs }: { nowUs: number; armedUs: number; lastUs: number | undefined },
): DueInstant | undefined {
  const instantUs = Math.floor(nowUs / everyUs) * everyUs
  if (instantUs < armedUs || (lastUs !== undefined && instantUs <= lastUs)) return undefined
  // After a change of `every`, the last instant of a rule is between two of its new instants.
  const skipped = lastUs === undefined ? 0 : Math.ceil((instantUs - lastUs) / everyUs) - 1
  return { instantUs, skipped }
}

/** Returns an instant, which is a whole millisecond, in ISO 8601. */
export const instantText = (us: number): string => new Date(us / MILLISECOND_US).toISOString()
