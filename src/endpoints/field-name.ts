import { shorten } from '../base/text/shorten.js'
import { column, type Expression, field } from '../plan/expression.js'
import { invalidParameter } from './params.js'

/** A field of a record, named by a parameter. */
export interface NamedField {
  /** The column of the row, or the keys of the path in the metadata. */
  place: FieldColumn | readonly string[]
  expression: Expression
}

/** The columns that are fields, besides the fields of the metadata. */
const COLUMNS = ['id', 'timestamp', 'event_message', 'project'] as const
type FieldColumn = (typeof COLUMNS)[number]

/** The longest name of a field in a filter. */
export const MAX_NAME_CHARACTERS = 1_000
/** A record has at most 128 levels. */
const MAX_KEYS = 128
/** The characters of a value that a message shows. */
const SHOWN_CHARACTERS = 60

const METADATA = 'metadata'

/** Returns the error of a part of a parameter. The message states the place of the part, the fault and the remedy. */
export function faultAt(name: string, place: string, fault: string, remedy: string) {
  const at = place === '' ? '' : ` at ${place}`
  return invalidParameter(`The parameter "${name}" is invalid${at}: ${fault}. ${remedy}`)
}

/** A JSON value for a message. */
export function shown(value: unknown): string {
  // JSON.stringify knows no bigint, which an integer beyond 2^53 is.
  const text = typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value))
  return shorten(text, SHOWN_CHARACTERS)
}

const ACCEPTED =
  'Name id, timestamp, event_message, project, or a path in the metadata: response.status_code, or its keys as a list.'

/**
 * Returns the field of a name: a column, a path of the metadata with dots between the keys, with or without the prefix
 * `metadata.`, or the keys as a list or as the JSON text of a list. Throws `invalid_parameter` at `place`, a place in
 * the parameter `name`.
 */
export function readFieldName(value: unknown, name: string, place: string): NamedField {
  const fault = (text: string) => faultAt(name, place, text, ACCEPTED)
  if (value === undefined) throw fault('it is missing')
  const given = typeof value === 'string' && value.startsWith('["') ? (listOf(value) ?? value) : value
  const found = typeof given === 'string' ? COLUMNS.find((one) => one === given) : undefined
  if (found !== undefined) return { place: found, expression: column(found) }
  const keys = typeof given === 'string' ? pathOf(given) : given
  if (!isListOfTexts(keys) || keys.length === 0) throw fault(`${shown(value)} names no field`)
  if (typeof given === 'string' && keys.includes('')) throw fault(`${shown(value)} has an empty key`)
  if (typeof given === 'string' && given === METADATA) throw fault('all of the metadata is no field')
  if (keys.length > MAX_KEYS) throw fault(`it has more than ${MAX_KEYS} keys`)
  if (keys.join('.').length > MAX_NAME_CHARACTERS) throw fault(`it has more than ${MAX_NAME_CHARACTERS} characters`)
  return { place: keys, expression: field(keys) }
}

function listOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The keys of a path with dots. */
function pathOf(text: string): string[] {
  const keys = text.split('.')
  return keys[0] === METADATA && keys.length > 1 ? keys.slice(1) : keys
}

const isListOfTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((key) => typeof key === 'string')

/** Returns the name of a field that {@link readFieldName} reads. */
export const nameOfField = ({ place }: NamedField): string => (typeof place === 'string' ? place : nameOfPath(place))

/** Returns the name of a path of the metadata that {@link readFieldName} reads: with dots if that is possible. */
export function nameOfPath(keys: readonly string[]): string {
  const [first = ''] = keys
  if (keys.some((key) => key === '' || key.includes('.')) || first.startsWith('["')) return JSON.stringify(keys)
  const path = keys.join('.')
  const isOther = first === METADATA || COLUMNS.some((one) => one === path)
  return isOther ? `${METADATA}.${path}` : path
}
