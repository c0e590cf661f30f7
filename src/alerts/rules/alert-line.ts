import { didYouMean } from '../../base/text/nearest.js'
import { DAY_US, HOUR_US, MINUTE_US, SECOND_US } from '../../base/units.js'
import type { Entry } from '../../front-matter/comment-entries.js'
import { durationText, readDuration } from '../../front-matter/duration.js'
import { placeError } from '../../front-matter/place-error.js'
import { DEFAULT_TIMES, type Timing } from '../states/timing.js'

/** The value of `-- alert:`. */
export interface AlertLine {
  timing: Timing
  notify: string | undefined
}

/** The range of each time, both ends included. */
const RANGES = {
  every: [SECOND_US, DAY_US],
  for: [0, 30 * DAY_US],
  'keep firing': [0, 30 * DAY_US],
  delay: [0, HOUR_US],
  repeat: [MINUTE_US, 365 * DAY_US],
} as const
type Time = keyof typeof RANGES
const TIMES = Object.keys(RANGES) as Time[]

const RECEIVER = /^[a-z][\w-]{0,63}$/i

/**
 * Reads `every 30s, for 2m, keep firing 5m, delay 10s, notify ops, repeat 4h`, in any order. Throws `usage` with the
 * place of the wrong part.
 */
export function readAlertLine(entry: Entry): AlertLine {
  const times = new Map<Time, number>()
  let notify: string | undefined
  for (const part of partsOf(entry)) {
    const name = nameOf(part)
    const value = part.text.slice(name.length).trim()
    if (name === 'notify' ? notify !== undefined : times.has(name)) throw placeError(`"${name}" is given twice`, part)
    if (name === 'notify') notify = readReceiver(value, part)
    else times.set(name, readTime(name, value, part))
  }
  const everyUs = times.get('every')
  if (everyUs === undefined) throw placeError('"alert:" has no "every": write how often, such as "every 30s"', entry)
  const timing = {
    everyUs,
    forUs: times.get('for') ?? DEFAULT_TIMES.forUs,
    keepFiringUs: times.get('keep firing') ?? DEFAULT_TIMES.keepFiringUs,
    delayUs: times.get('delay') ?? DEFAULT_TIMES.delayUs,
    repeatUs: times.get('repeat') ?? DEFAULT_TIMES.repeatUs,
  }
  return { timing, notify }
}

/** A part between two commas, without blanks around, and its place. */
interface Part {
  text: string
  line: number
  column: number
}

function partsOf({ value, line, column }: Entry): Part[] {
  let at = 0
  return value.split(',').map((written) => {
    const start = at + written.length - written.trimStart().length
    at += written.length + 1
    return { text: written.trim().replace(/\s+/g, ' '), line, column: column + start }
  })
}

function nameOf(part: Part): Time | 'notify' {
  const names = [...TIMES, 'notify'] as const
  const name = names.find((one) => part.text === one || part.text.startsWith(`${one} `))
  if (name !== undefined) return name
  const [word = ''] = part.text.split(' ')
  throw placeError(`"${word.slice(0, 64)}" is not understood. ${didYouMean(word, names)}`, part)
}

function readTime(name: Time, value: string, part: Part): number {
  const us = readDuration(value)
  if (us === undefined) throw placeError(`"${name}" has no length of time: write "${name} 30s"; units s, m, h, d`, part)
  const [least, most] = RANGES[name]
  if (us >= least && us <= most) return us
  throw placeError(`"${name}" is from ${durationText(least)} to ${durationText(most)}, not ${value}`, part)
}

function readReceiver(value: string, part: Part): string {
  if (RECEIVER.test(value)) return value
  throw placeError('"notify" has no name of a receiver: write "notify ops", a table of --receivers', part)
}
