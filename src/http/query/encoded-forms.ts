import type { AnswerColumn } from '../../engine/plan.js'
import type { Format } from '../formats/format.js'
import { readJson } from '../formats/read-json.js'
import { encodeAll } from '../reply/chunks.js'
import { type Body, bodyBytes } from '../reply/encoding.js'

/** An answer in JSON, and in other formats from the first demand on: a promise until it is made. */
export interface EncodedForms {
  readonly json: Body
  readonly columns: readonly AnswerColumn[]
  readonly others: Map<Format['name'], Body | Promise<Body>>
}

/** `onGrowth` is called when another form of it has been made, in a format or compressed; `forget` lets go of that one. */
export function createEncodedForms(
  plain: Uint8Array,
  columns: readonly AnswerColumn[],
  onGrowth?: Body['onGrowth'],
): EncodedForms {
  return { json: { plain, onGrowth }, columns, others: new Map() }
}

/** The bytes that all forms hold. */
export function encodedBytes({ json, others }: EncodedForms): number {
  let bytes = bodyBytes(json)
  for (const other of others.values()) if (!(other instanceof Promise)) bytes += bodyBytes(other)
  return bytes
}

/** The answer in a format, made once however many ask for it. */
export function encodedIn(forms: EncodedForms, format: Format): Body | Promise<Body> {
  if (format.name === 'json') return forms.json
  const known = forms.others.get(format.name)
  if (known !== undefined) return known
  const later = encodeIn(forms, format)
  forms.others.set(format.name, later)
  return later
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
