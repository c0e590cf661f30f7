import { PRESETS, type Range } from './range.js'
import { timestamp } from './times.js'

/** Returns a range as a short text: `Last hour`, `Since 2026-11-20 10:00`, `2026-11-20 10:00 – 10:15`. */
export function rangeLabel(range: Range): string {
  if ('preset' in range) return `Last ${PRESETS[range.preset].label}`
  const [from, to] = [range.fromUs, range.toUs].map((us) => (us === undefined ? '' : shortTime(us)))
  if (to === '') return `Since ${from}`
  const isSameDay = from!.slice(0, 10) === to!.slice(0, 10)
  return `${from} – ${isSameDay ? to!.slice(11) : to}`
}

/** Returns a time without seconds if the seconds are zero. */
const shortTime = (us: number) => timestamp(us).slice(0, 19).replace(/:00$/, '')
