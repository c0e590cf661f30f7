import { escapeControl } from '../../base/text/escape-control.js'
import { MILLISECOND_US } from '../../base/units.js'
import type { Cost, Finding } from './finding.js'

/** The sums of a check. */
export interface Totals {
  files: number
  rows: number
  bytes: number
  faults: number
}

/** Something that a repair has done, in the words of {@link Finding}. */
export interface Repaired {
  level: 'repaired'
  path: string
  what: string
}

/** Writes the lines of a check: for people, or an object a line. */
export interface LineFormat {
  finding(finding: Finding | Repaired): string
  summary(totals: Totals): string
}

const grouped = (value: number) => value.toLocaleString('en-US')
const counted = (value: number, noun: string) => `${grouped(value)} ${noun}${value === 1 ? '' : 's'}`

/** Returns a time in ISO 8601, with milliseconds. Returns the microseconds if the time is beyond the years of dates. */
function timeText(timestampUs: number): string {
  const date = new Date(Math.floor(timestampUs / MILLISECOND_US))
  return Number.isNaN(date.getTime()) ? `${timestampUs} µs` : date.toISOString()
}

/** `fault: PATH: what is wrong. Costs 384 rows of edge_logs, from … to ….` */
export const TEXT: LineFormat = {
  finding: (one) => `${one.level}: ${escapeControl(`${one.path}: ${one.what}${costText(one)}`)}\n`,
  summary: ({ files, rows, bytes, faults }) =>
    `read ${counted(files, 'file')}, ${counted(rows, 'row')}, ${counted(bytes, 'byte')}: ` +
    `${faults === 0 ? 'no fault' : counted(faults, 'fault')}\n`,
}

function costText(one: Finding | Repaired): string {
  const cost = 'cost' in one ? one.cost : undefined
  if (cost === undefined) return ''
  const { instead, rows, source, fromUs, throughUs } = cost
  const what = instead ?? (rows === undefined ? 'an unknown number of rows' : counted(rows, 'row'))
  const of = source === undefined ? '' : ` of ${source}`
  const times = fromUs === undefined ? '' : `, from ${timeText(fromUs)} to ${timeText(throughUs!)}`
  return `. Costs ${what}${of}${times}`
}

/** One JSON object a line. The last object has the level `summary`. */
export const NDJSON: LineFormat = {
  finding: (one) => `${JSON.stringify('cost' in one ? flat(one) : one)}\n`,
  summary: (totals) => `${JSON.stringify({ level: 'summary', ...totals })}\n`,
}

function flat({ cost, ...finding }: Finding & { cost?: Cost }) {
  const { source, rows, fromUs, throughUs } = cost ?? {}
  return {
    ...finding,
    ...(source !== undefined && { source }),
    ...(cost?.instead === 'no row' ? { rows: 0 } : rows !== undefined && { rows }),
    ...(fromUs !== undefined && { from: timeText(fromUs), to: timeText(throughUs!) }),
  }
}
