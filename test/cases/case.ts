import type { Params, PlainRow } from '../oracle/oracle.js'
import { isoUs } from '../oracle/time.js'
import type { TestRecord } from '../support/records.js'

/** The expected answer of an endpoint: plain data, for every implementation. */
export interface Case {
  name: string
  endpoint: string
  /** In order of arrival. */
  records: readonly TestRecord[]
  params: Params
  nowUs: number
  rows: readonly PlainRow[]
}

/** Returns the µs since the epoch of an ISO 8601 time. */
export function at(text: string): number {
  const timestampUs = isoUs(text)
  if (timestampUs === undefined) throw new Error(`Not a time: ${text}`)
  return Number(timestampUs)
}

/** Texts that break maps, quoting or framing that is not careful. */
export const AWKWARD_NAMES: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  "it's",
  'a"b',
  'a|b',
  'a\\b',
  'a\0b',
  '\0',
  ' a',
  'a\nb',
  '\u2028',
  'é',
  'e\u0301',
  '😀',
  '\ufffd',
  '%61',
  'x'.repeat(65_536),
]

/** Returns the numbers from 1 to n. */
export const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1)

/** Adds the id of the promise that the cases show to their names. */
export const shown = (id: string, cases: readonly Case[]): Case[] =>
  cases.map((given) => ({ ...given, name: `${id}: ${given.name}` }))
