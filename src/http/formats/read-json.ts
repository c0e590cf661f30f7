import { setImmediate } from 'node:timers/promises'
import { KIB } from '../../base/units.js'
import type { AnswerColumn, ColumnKind, Row, Value } from '../../plan/answer.js'
import { RawJson } from '../../plan/values/values.js'
import { JSON_BEGIN } from './json.js'

/** Characters between two yields to the event loop. */
const SLICE_CHARACTERS = 64 * KIB

/**
 * Returns the rows of an answer that `jsonFormat` encoded. JSON columns keep the exact text, which `JSON.parse` of the
 * whole body would lose. Yields to the event loop every 64 KiB.
 */
export async function* readJson(body: Uint8Array, columns: readonly AnswerColumn[]): AsyncGenerator<Row> {
  const json = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
  const kinds = new Map(columns.map(({ name, kind }) => [name, kind]))
  let yieldAt = SLICE_CHARACTERS
  for (let at = JSON_BEGIN.length; json[at] !== ']'; ) {
    const { row, end } = readRow(json, at, kinds)
    yield row
    at = json[end] === ',' ? end + 1 : end
    if (at < yieldAt) continue
    await setImmediate()
    yieldAt = at + SLICE_CHARACTERS
  }
}

/** Returns the row that begins with the brace at `start`, and the index after the row. */
function readRow(json: string, start: number, kinds: ReadonlyMap<string, ColumnKind>): { row: Row; end: number } {
  const values: [string, Value][] = []
  let at = start + 1
  while (json[at] !== '}') {
    const nameEnd = endOfString(json, at)
    const name: string = JSON.parse(json.slice(at, nameEnd))
    const end = endOfValue(json, nameEnd + 1)
    const text = json.slice(nameEnd + 1, end)
    values.push([name, isRaw(kinds.get(name), text) ? new RawJson(text) : JSON.parse(text)])
    at = json[end] === ',' ? end + 1 : end
  }
  return { row: Object.fromEntries(values), end: at + 1 }
}

/** Returns whether a value must keep the text: JSON, and integers and times that no double holds. */
function isRaw(kind: ColumnKind | undefined, text: string): boolean {
  if (kind === 'json') return text !== 'null'
  if (kind === 'any') return /^[[{\d-]/.test(text)
  return (kind === 'integer' || kind === 'microseconds') && text.length > 15 && !Number.isSafeInteger(Number(text))
}

/** Returns the index after the value that begins at `start`, within an object. */
function endOfValue(json: string, start: number): number {
  let depth = 0
  for (let at = start; ; ) {
    const character = json[at]
    if (depth === 0 && (character === ',' || character === '}')) return at
    if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    at = character === '"' ? endOfString(json, at) : at + 1
  }
}

/** Returns the index after the string that begins with the quote at `start`. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end + 1
}

/** Whether an odd number of backslashes precedes an index. */
function isEscaped(json: string, at: number): boolean {
  let before = at
  while (json[before - 1] === '\\') before -= 1
  return (at - before) % 2 === 1
}
