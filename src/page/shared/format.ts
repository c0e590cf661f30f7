/** Formats numbers for users. `times.ts` formats times. */

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const shortPrecise = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
const precise = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 })

/** Returns a number without decimals: `1,234`. */
export const count = (value: number): string => whole.format(value)
/** Returns a number in compact form: `1.2K`. */
export const shortCount = (value: number): string => compact.format(value)

/** Returns any number: whole from 1,000, else with four significant digits: `12,346`, `0.01235`. */
export const number = (value: number): string => (Math.abs(value) < 1_000 ? precise : whole).format(value)
/** Returns any number in compact form, with three significant digits: `1.25K`, `0.012`. */
export const shortNumber = (value: number): string => shortPrecise.format(value)

/** Returns a duration in milliseconds or seconds: `12.5 ms`, `1.2 s`. */
export function duration(ms: number): string {
  return Math.abs(ms) < 1_000 ? `${precise.format(ms)} ms` : `${precise.format(ms / 1_000)} s`
}

/** Returns an age in seconds as `just now`, `3 min ago`, `5 h ago` or `4 days ago`. */
export function ago(seconds: number): string {
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3_600)]
  if (minutes < 120) return minutes < 1 ? 'just now' : `${minutes} min ago`
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`
}

/** Returns a length of time in seconds with its two largest units: `45 s`, `2 min 5 s`, `3 h 20 min`, `2 d 4 h`. */
export function lengthText(seconds: number): string {
  const rest = Math.round(seconds)
  const first = LENGTHS.findIndex(([size]) => rest >= size)
  if (first < 0) return '0 s'
  const [size, unit] = LENGTHS[first]
  const next = LENGTHS[first + 1]
  const more = next === undefined ? 0 : Math.floor((rest % size) / next[0])
  return `${Math.floor(rest / size)} ${unit}${more === 0 ? '' : ` ${more} ${next[1]}`}`
}

const LENGTHS: readonly (readonly [size: number, unit: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
]
