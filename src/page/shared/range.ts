/** Ranges of time: the last minutes, hours or days, or between two times. */

/** A range that ends now, by the name of its preset, or a range with bounds in microseconds since 1970. */
export type Range = { preset: PresetName } | { fromUs: number; toUs: number | undefined }

const [MINUTE_S, HOUR_S, DAY_S] = [60, 3_600, 86_400]

/** The presets by name, in the order of their buttons and keys. */
export const PRESETS = {
  '5min': { label: '5 minutes', windowS: 5 * MINUTE_S },
  '15min': { label: '15 minutes', windowS: 15 * MINUTE_S },
  '30min': { label: '30 minutes', windowS: 30 * MINUTE_S },
  '1hr': { label: 'hour', windowS: HOUR_S },
  '6hr': { label: '6 hours', windowS: 6 * HOUR_S },
  '1day': { label: 'day', windowS: DAY_S },
  '7day': { label: '7 days', windowS: 7 * DAY_S },
} satisfies Record<string, { label: string; windowS: number }>

/** Returns the length of a preset in words: `5 minutes`, `1 hour`. */
export const presetLength = (name: PresetName): string => PRESETS[name].label.replace(/^(?=\D)/, '1 ')

/** Name of a preset, as in the URL. */
export type PresetName = keyof typeof PRESETS

/** The names of the presets, in order. */
export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[]

/** Returns whether a text names a preset. */
export const isPreset = (text: string): text is PresetName => Object.hasOwn(PRESETS, text)

/** The range that is shown first. */
export const DEFAULT_RANGE: Range = { preset: '1hr' }

/** Half-open bounds in microseconds since 1970, open without `toUs`. */
export interface Bounds {
  fromUs: number
  toUs: number | undefined
}

/** Returns the bounds of a range. */
export function boundsOf(range: Range, nowUs: number): Bounds {
  if (!('preset' in range)) return range
  return { fromUs: nowUs - PRESETS[range.preset].windowS * 1e6, toUs: undefined }
}

/** Returns bounds with an end: `toUs`, or `us` if the bounds are open. */
export const closedAt = ({ fromUs, toUs }: Bounds, us: number): Bounds => ({ fromUs, toUs: toUs ?? us })

/** Returns microseconds since 1970 as ISO 8601 in UTC, with all six digits. */
export function isoOf(us: number): string {
  const ms = Math.floor(us / 1_000)
  return `${new Date(ms).toISOString().slice(0, -1)}${String(us - ms * 1_000).padStart(3, '0')}Z`
}

/** Returns bounds as ISO 8601. `end` is undefined if the bounds are open. */
export const isoBounds = ({ fromUs, toUs }: Bounds): { start: string; end: string | undefined } => ({
  start: isoOf(fromUs),
  end: toUs === undefined ? undefined : isoOf(toUs),
})

/** Reads {@link isoOf}'s texts, and texts without microseconds. Returns NaN for other texts. */
export function usOf(iso: string): number {
  const [, whole, micros = '0'] = /^(.*?\.\d{3})(\d{3})Z$/.exec(iso) ?? []
  return whole === undefined ? Date.parse(iso) * 1_000 : Date.parse(`${whole}Z`) * 1_000 + Number(micros)
}
