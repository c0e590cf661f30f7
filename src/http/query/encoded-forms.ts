import type { AnswerColumn } from '../../plan/answer.js'
import type { Format } from '../formats/format.js'
import { readJson } from '../formats/read-json.js'
import { encodeAll } from '../reply/chunks.js'
import { type Body, bodyBytes } from '../reply/encoding.js'

/** An answer as JSON, and in the other formats that were requested. A promise while a format is being encoded. */
export interface EncodedForms {
  readonly json: Body
  readonly columns: readonly AnswerColumn[]
  readonly others: Map<Format['name'], Body | Promise<Body>>
}

/** `onGrowth` is called when another format or a compressed form was made. The argument discards that form. */
export function createEncodedForms(
  plain: Uint8Array,
  columns: readonly AnswerColumn[],
  onGrowth?: Body['onGrowth'],
): EncodedForms {
  return { json: { plain, onGrowth }, columns, others: new Map() }
}

/** Returns the bytes of all forms together. */
export function encodedBytes({ json, others }: EncodedForms): number {
  let bytes = bodyBytes(json)
  for (const other of others.values()) if (!(other instanceof Promise)) bytes += bodyBytes(other)
  return bytes
}

/** Returns the answer in a format. The answer is encoded from the JSON once, however many callers wait. */
export function encodedIn(forms: EncodedForms, format: Format): Body | Promise<Body> {
  if (format.name === 'json') return forms.json
  const made = forms.others.get(format.name)
  if (made !== undefined) return made
  const pending = encodeIn(forms, format)
  forms.others.set(format.name, pending)
  return pending
}

async function encodeIn({ json, columns, others }: EncodedForms, format: Format): Promise<Body> {
  try {
    const plain = await encodeAll(readJson(json.plain, columns), format.encoder(columns))
    const { onGrowth } = json
    const body: Body = { plain, onGrowth }
    others.set(format.name, body)
    onGrowth?.(() => others.delete(format.name))
    return body
  } catch (error) {
    others.delete(format.name)
    throw error
  }
}
