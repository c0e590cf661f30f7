import type { Params, PlainRow } from '../oracle/oracle.js'
import { isoUs } from '../oracle/time.js'
import type { TestRecord } from '../support/records.js'

/** What an endpoint must answer: plain data, for whatever can run it. */
export interface Case {
  name: string
  endpoint: string
  /** In the order of their arrival. */
  records: readonly TestRecord[]
  params: Params
  nowUs: number
  rows: readonly PlainRow[]
}

/** Microseconds since the epoch of a time written out. */
export function at(text: string): number {
  const timestampUs = isoUs(text)
  if (timestampUs === undefined) throw new Error(`Not a time: ${text}`)
  return Number(timestampUs)
}

/** The texts that trip up maps, quoting, and framing. */
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

/** Numbers from 1 to n. */
export const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1)

/** The cases under the id of what they show. */
export const shown = (id: string, cases: readonly Case[]): Case[] =>
  cases.map((given) => ({ ...given, name: `${id}: ${given.name}` }))
