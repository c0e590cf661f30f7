import * as flechette from '@uwdata/flechette'
import { tableFromIPC } from 'apache-arrow'
import { expect } from 'vitest'
import type { AnswerColumn, ColumnKind, Row, Value } from '../../src/plan/answer.js'
import { datetimeText } from '../../src/plan/values/times.js'
import { RawJson } from '../../src/plan/values/values.js'

/** A row as read by a client, with parsed JSON values. */
export type Plain = Record<string, unknown>
type Reader = (body: Uint8Array, columns: readonly AnswerColumn[]) => Plain[]

const textOf = (body: Uint8Array) => Buffer.from(body).toString()

function readNdjson(body: Uint8Array): Plain[] {
  const lines = textOf(body).split('\n')
  if (lines.pop() !== '') throw new Error('the last line is not ended')
  return lines.map((line) => JSON.parse(line))
}

/**
 * Parses CSV (RFC 4180) character by character. Returns the fields of each line. A field is null if empty without
 * quotes.
 */
function fieldsOf(csv: string): (string | null)[][] {
  const lines: (string | null)[][] = []
  let line: (string | null)[] = []
  for (let at = 0; at < csv.length; ) {
    let field: string | null = null
    if (csv[at] === '"') {
      field = ''
      for (at += 1; csv[at] !== '"' || csv[at + 1] === '"'; at += 1) {
        if (at >= csv.length) throw new Error('quotes are open at the end')
        if (csv[at] === '"') at += 1
        field += csv[at]
      }
      at += 1
    } else {
      while (at < csv.length && csv[at] !== ',' && csv[at] !== '\r') {
        if (csv[at] === '"' || csv[at] === '\n') throw new Error(`a bare ${JSON.stringify(csv[at])}`)
        field = (field ?? '') + csv[at]
        at += 1
      }
    }
    line.push(field)
    if (csv[at] === ',') {
      at += 1
      if (csv.startsWith('\r\n', at)) line.push(null)
    }
    if (!csv.startsWith('\r\n', at)) continue
    at += 2
    lines.push(line)
    line = []
  }
  if (line.length > 0) throw new Error('the last line is not ended')
  return lines
}

const FROM_TEXT: Record<ColumnKind, (text: string) => unknown> = {
  text: (text) => text,
  datetime: (text) => text,
  json: (text) => JSON.parse(text),
  microseconds: Number,
  integer: Number,
  count: Number,
  double: Number,
  boolean: (text) => text === 'true',
  any: (text) => text,
}

function readCsv(body: Uint8Array, columns: readonly AnswerColumn[]): Plain[] {
  const [names, ...lines] = fieldsOf(textOf(body))
  const kinds = new Map(columns.map(({ name, kind }) => [name, kind]))
  return lines.map((line) => {
    if (line.length !== names!.length) throw new Error(`${line.length} fields under ${names!.length} names`)
    return Object.fromEntries(
      names!.map((name, i) => [name, line[i] === null ? null : FROM_TEXT[kinds.get(name!)!](line[i]!)]),
    )
  })
}

/** Both readers return times in milliseconds, as numbers with fractions. */
const FROM_ARROW: Record<ColumnKind, (value: unknown) => unknown> = {
  text: (value) => value,
  json: (value) => JSON.parse(value as string),
  microseconds: (ms) => Math.round((ms as number) * 1000),
  datetime: (ms) => datetimeText(Math.round((ms as number) * 1000)),
  integer: Number,
  count: Number,
  double: (value) => value,
  boolean: (value) => value,
  any: (value) => value,
}

/** Returns the rows of a table. `at` returns the value of a row and a column. */
function rowsOf(
  rows: number,
  columns: readonly AnswerColumn[],
  names: readonly string[],
  at: (row: number, column: number) => unknown,
): Plain[] {
  expect(names).toEqual(columns.map(({ name }) => name))
  return Array.from({ length: rows }, (_, row) => {
    const values = columns.map(({ kind }, i) => (at(row, i) === null ? null : FROM_ARROW[kind](at(row, i))))
    return Object.fromEntries(names.map((name, i) => [name, values[i]]))
  })
}

const readApacheArrow: Reader = (body, columns) => {
  const table = tableFromIPC(body)
  const names = table.schema.fields.map(({ name }) => name)
  return rowsOf(table.numRows, columns, names, (row, column) => table.getChildAt(column)!.get(row))
}

const readFlechette: Reader = (body, columns) => {
  const table = flechette.tableFromIPC(body, { useBigInt: true })
  const names = table.schema.fields.map(({ name }) => name)
  return rowsOf(table.numRows, columns, names, (row, column) => table.getChildAt(column).at(row))
}

export const readJsonRows: Reader = (body) => JSON.parse(textOf(body)).result

/** All readers, with the Accept header of their format. With `hasTexts` columns of type `any` have texts. */
export const READERS: readonly { name: string; accept: string; read: Reader; hasTexts?: true }[] = [
  { name: 'JSON', accept: 'application/json', read: readJsonRows },
  { name: 'NDJSON', accept: 'application/x-ndjson', read: readNdjson },
  { name: 'CSV', accept: 'text/csv', read: readCsv, hasTexts: true },
  {
    name: 'Arrow by apache-arrow',
    accept: 'application/vnd.apache.arrow.stream',
    read: readApacheArrow,
    hasTexts: true,
  },
  { name: 'Arrow by flechette', accept: 'application/vnd.apache.arrow.stream', read: readFlechette, hasTexts: true },
]

function plainValue(value: Value): unknown {
  if (value instanceof RawJson) return JSON.parse(value.text)
  return typeof value === 'number' && !Number.isFinite(value) ? null : value
}

/** Returns a value as a text. A text stays unchanged, everything else is written as JSON. */
function textOfAny(value: Value): string | null {
  if (value === null || typeof value === 'string') return value
  return value instanceof RawJson ? value.text : JSON.stringify(value)
}

/** Returns the rows that a reader must return, with texts in the columns `asTexts`. */
export function plainRows(rows: readonly Row[], asTexts: readonly string[] = []): Plain[] {
  const plain = (name: string, value: Value) => (asTexts.includes(name) ? textOfAny(value) : plainValue(value))
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(name, value)])))
}
