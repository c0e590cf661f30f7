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

/** Returns an age in seconds as `just now` or `3 min ago`. */
export function ago(seconds: number): string {
  return seconds < 60 ? 'just now' : `${Math.floor(seconds / 60)} min ago`
}
