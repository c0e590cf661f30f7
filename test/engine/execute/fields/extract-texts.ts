import { createExtractor, type Extracted } from '../../../../src/engine/execute/fields/extractor.js'
import type { Path } from '../../../../src/engine/execute/fields/path-tree.js'
import { ABSENT, BOOLEAN, JSON_VALUE, NUMBER, TEXT } from '../../../../src/wasm-layout/values.js'
import type { FieldValue } from './path-oracle.js'

/** The extractor of a test file. A damaged text must not break the extractor for the next test. */
export const extractor = createExtractor()

/** Writes texts in sequence, and returns the offsets of the texts. */
export function write(texts: readonly (string | Uint8Array)[]) {
  const parts = texts.map((text) => Buffer.from(text))
  const bytes = Buffer.concat(parts)
  extractor.textMemory(bytes.length).set(bytes)
  const offsets = new Int32Array(texts.length + 1)
  for (const [i, part] of parts.entries()) offsets[i + 1] = offsets[i]! + part.length
  return { starts: offsets, ends: offsets.subarray(1) }
}

export const allRows = (count: number) => Uint32Array.from({ length: count }, (_, i) => i)

export function extractAll(texts: readonly (string | Uint8Array)[], paths: readonly Path[]): FieldValue[][] {
  const extracted = extractor.extract(paths, write(texts), allRows(texts.length))
  return texts.map((_, row) => paths.map((_, path) => valueAt(extracted, row * paths.length + path)))
}

export function valueAt({ kinds, starts, ends, bytes }: Extracted, at: number): FieldValue {
  const raw = () => Buffer.from(bytes.subarray(starts[at]!, ends[at]!)).toString()
  switch (kinds[at]) {
    case ABSENT:
      return { kind: 'absent' }
    case TEXT:
      return { kind: 'text', text: raw() }
    case NUMBER:
      return { kind: 'number', raw: raw() }
    case BOOLEAN:
      return { kind: 'boolean', raw: raw() }
    case JSON_VALUE:
      return { kind: 'json', raw: raw() }
    default:
      throw new Error(`kind ${kinds[at]}`)
  }
}

/** The value of one path in one text, as a short text. */
export function one(text: string, ...path: string[]): string {
  const [[value]] = extractAll([text], [path]) as [[FieldValue]]
  if (value.kind === 'absent') return 'absent'
  return value.kind === 'text' ? `text ${value.text}` : `${value.kind} ${value.raw}`
}
