/** Chooses the ticks of a time axis by the clock of a zone, as people read a clock: midnight, noon, whole hours. */
import { instantOf, UTC, type Zone } from '../shared/zone.js'

const [HOUR_MS, DAY_MS, MONTH_S, YEAR_S] = [3_600_000, 86_400_000, 2_592_000, 31_536_000]
/** 1970 began on a Thursday: weeks begin on the Monday after it. */
const MONDAY_MS = 4 * DAY_MS

/** Distances between ticks of a time axis, in seconds. */
export const TIME_STEPS = [
  1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
  2_592_000, 7_776_000, 15_552_000, 31_536_000,
]

/**
 * Returns the ticks of [`fromS`, `toS`], in seconds since 1970, ascending: where clocks in the zone show a multiple of
 * the step since midnight, of days since 1970, or the start of a month. Steps of 30 days or more are months.
 */
export function timeTicks(fromS: number, toS: number, stepS: number, zone: Zone): number[] {
  const [fromMs, toMs] = [fromS * 1_000, toS * 1_000]
  const ticks = stepS >= MONTH_S ? monthTicks(fromMs, toMs, stepS, zone) : clockTicks(fromMs, toMs, stepS, zone)
  return ticks.filter((ms) => ms >= fromMs && ms <= toMs).map((ms) => ms / 1_000)
}

function clockTicks(fromMs: number, toMs: number, stepS: number, zone: Zone): number[] {
  const stepMs = stepS * 1_000
  // Up to an hour, both passes of an hour that clocks show twice have ticks.
  const steady = stepMs > HOUR_MS ? zone : { ...UTC, offsetMs: () => zone.offsetMs(fromMs) }
  const firstMs = stepMs > DAY_MS && stepMs % (7 * DAY_MS) === 0 ? MONDAY_MS : 0
  const first = Math.floor((fromMs + steady.offsetMs(fromMs) - firstMs) / stepMs)
  // One more at each end: the zone's offset may change in between.
  const count = Math.ceil((toMs - fromMs) / stepMs) + 3
  return Array.from({ length: count }, (_, i) => instantOf(firstMs + (first + i) * stepMs, steady))
}

function monthTicks(fromMs: number, toMs: number, stepS: number, zone: Zone): number[] {
  const months = stepS >= YEAR_S ? 12 * Math.round(stepS / YEAR_S) : Math.round(stepS / MONTH_S)
  const date = new Date(fromMs + zone.offsetMs(fromMs))
  const first = Math.floor(((date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()) / months)
  const count = Math.ceil((toMs - fromMs) / (months * 28 * DAY_MS)) + 2
  return Array.from({ length: count }, (_, i) => instantOf(Date.UTC(1970, (first + i) * months), zone))
}
