import { RawJson, type Scalar } from '../../../src/plan/values/values.js'
import { remembered } from '../../support/remembered.js'
import { numeric } from './values.js'

/** A JSON value: its text as spelled, and its members or elements. */
export interface JsonNode {
  text: string
  /** Keys of an object, the last member of each name, or places of a list. */
  members?: ReadonlyMap<string, JsonNode>
  isList?: true
}

/** Reads a JSON text by recursion. Undefined if the text is no JSON. */
export const readJson = remembered((text: string): JsonNode | undefined => {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  return readValue(text, { at: 0 })
})

/** The text has been checked. */
function readValue(text: string, place: { at: number }): JsonNode {
  const skipSpace = () => {
    while (/[ \t\r\n]/.test(text[place.at] ?? '')) place.at++
  }
  const token = (pattern: RegExp) => {
    const [found] = pattern.exec(text.slice(place.at))!
    place.at += found.length
    return found
  }
  skipSpace()
  const start = place.at
  const close = { '{': '}', '[': ']' }[text[start]!]
  if (close === undefined) {
    return { text: token(/^(?:"(?:[^"\\]|\\.)*"|[^\s,\]}]+)/s) }
  }
  const members = new Map<string, JsonNode>()
  place.at++
  for (skipSpace(); text[place.at] !== close; skipSpace()) {
    if (text[place.at] === ',') place.at++
    skipSpace()
    const key = close === ']' ? String(members.size) : (JSON.parse(token(/^"(?:[^"\\]|\\.)*"/s)) as string)
    skipSpace()
    if (close === '}') place.at++
    members.set(key, readValue(text, place))
  }
  place.at++
  const node: JsonNode = { text: text.slice(start, place.at), members }
  return close === ']' ? { ...node, isList: true } : node
}

/** A JSON value as a value of a row. */
export function scalarOf({ text, members }: JsonNode): Scalar {
  if (members !== undefined) return new RawJson(text)
  if (text.startsWith('"')) return Buffer.from(JSON.parse(text) as string).toString()
  if (text === 'true' || text === 'false') return text === 'true'
  return text === 'null' ? null : (numeric(text) ?? null)
}

/** The JSON of a value without spaces and repeated keys. Numbers, and the texts of values, keep their spelling. */
export function compactJson({ text, members, isList }: JsonNode): string {
  if (members === undefined) return text
  if (isList) return `[${[...members.values()].map(compactJson).join(',')}]`
  return `{${[...members].map(([key, value]) => `${JSON.stringify(key)}:${compactJson(value)}`).join(',')}}`
}
