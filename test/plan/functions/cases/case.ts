import type { FunctionName } from '../../../../src/plan/functions/table.js'
import { CivilDate, Datetime, RawJson, type Scalar, Timestamp } from '../../../../src/plan/values/values.js'

/** The error of a call, by code. */
export class Fails {
  readonly code: string
  constructor(code: string) {
    this.code = code
  }
}

/** A call, and the value or the error. */
export type Case = readonly [fn: FunctionName, args: readonly Scalar[], expected: Scalar | Fails]

export const WRONG = new Fails('invalid_sql')
export const BAD_PATTERN = new Fails('invalid_pattern')
export const TOO_LONG = new Fails('too_much_memory')

const us = (iso: string) => {
  const [second, fraction = ''] = iso.split('.') as [string, string?]
  const exact = BigInt(Date.parse(`${second}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'))
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact
}

/** Times by ISO 8601 without a zone, with up to six fraction digits. */
export const ts = (iso: string) => new Timestamp(us(iso))
export const dt = (iso: string) => new Datetime(us(iso))
export const date = (iso: string) => new CivilDate(Date.parse(`${iso}T00:00:00Z`) / 86_400_000)
export const json = (text: string) => new RawJson(text)

export const MAX_INT64 = 9223372036854775807n
export const MIN_INT64 = -9223372036854775808n
export const MIB_OF_TEXT = 'x'.repeat(1024 * 1024)
