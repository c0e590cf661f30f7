import { LINE_INTS } from '../../../src/wasm-layout/field-table.js'
import { FIELD, KIND, OUTCOME, slotOf } from '../field-table.js'
import { createScanner } from './scan.js'

/** The name of a field in FIELD. */
export type Field = string

/** A line as fields: the raw bytes and the kind of each field. */
export interface Line {
  outcome: number
  /** The line, a character per byte. */
  latin1: string
  kind(field: Field): number
  raw(field: Field): Buffer
}

/** Reads a line, without the newline. */
export function readLine(bytes: Uint8Array): Line {
  const scanner = createScanner({ capacityBytes: bytes.length, maxLines: 1 })
  scanner.bytes.set(bytes)
  const isEmpty = scanner.scan(0, bytes.length) === 0
  const table = scanner.table.slice(0, LINE_INTS)
  return {
    latin1: Buffer.from(bytes).toString('latin1'),
    outcome: isEmpty ? OUTCOME.blank : table[0]!,
    kind: (field) => table[slotOf(FIELD[field]!)]!,
    raw(field) {
      const [start, end] = table.subarray(slotOf(FIELD[field]!) + 1)
      return Buffer.from(bytes.slice(start, end))
    },
  }
}

export const isAbsent = (line: Line, field: Field): boolean => line.kind(field) === KIND.absent
export const isNumber = (line: Line, field: Field): boolean => line.kind(field) === KIND.number
export const isText = (line: Line, field: Field): boolean =>
  line.kind(field) === KIND.string || line.kind(field) === KIND.escapedString

/** Returns the text of a text field, with lone surrogates replaced by U+FFFD. */
export const textOf = (line: Line, field: Field): Buffer => Buffer.from(decode(line, field))

/** Returns true unless a field contains a lone surrogate. */
export function isWellFormed(line: Line, field: Field): boolean {
  return !isText(line, field) || textOf(line, field).toString() === decode(line, field)
}

const decode = (line: Line, field: Field): string => JSON.parse(`"${line.raw(field)}"`)
