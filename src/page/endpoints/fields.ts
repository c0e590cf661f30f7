/** The fields of a form for the parameters of an endpoint, and the values that their texts mean. */
import type { Parameter } from '../api/description.js'
import { boundsOf, isoOf, presetLength, type Range, usOf } from '../shared/range.js'
import { readTime, TIME_FORMS } from '../shared/time-input.js'
import { fullTime } from '../shared/times.js'
import type { Zone } from '../shared/zone.js'

/** How a parameter is entered. `project` is the project of the page. */
type FieldKind = 'project' | 'choice' | 'time' | 'code' | 'number' | 'text'

/** A parameter in a form. */
export interface Field {
  readonly name: string
  readonly kind: FieldKind
  readonly isRequired: boolean
  readonly description: string
  /** The words to choose among, or empty for other kinds. */
  readonly words: readonly string[]
  /** The value that the service takes for an empty field, or undefined if unknown. */
  readonly otherwise: string | undefined
  /** Whether a time begins or ends a range. */
  readonly bound: 'start' | 'end' | undefined
}

/** Project, range, zone and present, which the texts of a form depend on. */
export interface FormContext {
  project: string
  range: Range
  zone: Zone
  nowUs: number
}

/** The values of a form, to send and for a link, or the name of the first invalid field, with a message. */
export type FormReading =
  | { sent: Readonly<Record<string, string>>; linked: Readonly<Record<string, string>> }
  | { wrong: string; message: string }

/** Returns the field of a parameter. */
export function fieldOf({ name, required = false, description, schema }: Parameter): Field {
  const kind = kindOf(name, schema)
  const isTime = kind === 'time'
  return {
    name,
    kind,
    isRequired: required,
    description,
    words: kind === 'choice' ? wordsOf(schema) : [],
    otherwise: schema.default === undefined ? undefined : String(schema.default),
    bound: isTime && START.test(name) ? 'start' : isTime && END.test(name) ? 'end' : undefined,
  }
}

const START = /(?:^|_)(?:start|from|since|after|begin)$/
const END = /(?:^|_)(?:end|to|until|before)$/

function kindOf(name: string, schema: Parameter['schema']): FieldKind {
  if (name === 'project') return 'project'
  if (schema['x-kind'] === 'timestamp') return 'time'
  if (schema.contentMediaType !== undefined) return 'code'
  if (wordsOf(schema).length > 1) return 'choice'
  return schema.type === 'integer' || schema.type === 'number' ? 'number' : 'text'
}

/** A single example shows a form of values. Several examples are all values that have a meaning. */
function wordsOf({ type, enum: words, examples = [] }: Parameter['schema']): readonly string[] {
  if (type === 'boolean') return ['true', 'false']
  return words ?? examples
}

/** Returns the text of a field before the user enters a text: the page's project and range, or nothing. */
export function defaultText({ kind, bound, isRequired }: Field, { project, range }: FormContext): string {
  if (kind === 'project') return project
  if (bound === 'start') return 'preset' in range ? `${presetLength(range.preset)} ago` : timeText(range.fromUs)
  if (bound !== 'end') return ''
  const { toUs } = boundsOf(range, 0)
  if (toUs !== undefined) return timeText(toUs)
  return isRequired ? 'now' : ''
}

/** Returns the text of a field for the value in a link. Without a value, returns the default. */
export function textOf(field: Field, linked: string | undefined, context: FormContext): string {
  if (linked === undefined || field.kind === 'project') return defaultText(field, context)
  const us = field.kind === 'time' && /^\d{4}-/.test(linked) ? usOf(linked) : Number.NaN
  return Number.isNaN(us) ? linked : timeText(us)
}

/** A time in the zone of the page, without the digits that are zero. */
const timeText = (us: number) =>
  fullTime(us)
    .slice(0, 26)
    .replace(/(?:\.0+|(\.\d*?)0+)$/, '$1')

/** A time that depends on the present: a link keeps the text unchanged. */
const RELATIVE = /^(?:now|today|yesterday.*|-?\d+ ?[a-z]+(?: ago)?)$/i

/**
 * Reads a form. `texts`: the texts of the fields, by name. Times become ISO 8601 in UTC. A link has the texts that
 * differ from the page's project and range. Leaves out empty fields.
 */
export function readForm(
  fields: readonly Field[],
  texts: Readonly<Record<string, string>>,
  context: FormContext,
): FormReading {
  const sent: Record<string, string> = {}
  const linked: Record<string, string> = {}
  let startUs: number | undefined
  for (const field of fields) {
    const { name, kind, bound } = field
    const text = kind === 'code' || kind === 'text' ? (texts[name] ?? '') : (texts[name] ?? '').trim()
    const isDefault = text === defaultText(field, context)
    let value = text
    if (kind === 'time' && text !== '') {
      const us = timeOf(field, text, isDefault, startUs, context)
      if (us === undefined) return { wrong: name, message: `“${text}” is no time. Enter ${TIME_FORMS}.` }
      if (bound === 'start') startUs = us
      value = isoOf(us)
    }
    if (value !== '') sent[name] = value
    if (!isDefault) linked[name] = kind === 'time' && !RELATIVE.test(text) ? value : text
  }
  return { sent, linked }
}

/** The default is not read as a text: an hour that clocks show twice would lose its place. */
function timeOf(
  { bound }: Field,
  text: string,
  isDefault: boolean,
  startUs: number | undefined,
  { range, zone, nowUs }: FormContext,
): number | undefined {
  if (isDefault && bound !== undefined) {
    const { fromUs, toUs = nowUs } = boundsOf(range, nowUs)
    return bound === 'start' ? fromUs : toUs
  }
  return readTime(text, { zone, nowUs, isEnd: bound === 'end', ...(startUs !== undefined && { fromUs: startUs }) })
}

/** Returns the names of the required fields without a text. */
export function missingIn(fields: readonly Field[], texts: Readonly<Record<string, string>>): readonly string[] {
  return fields
    .filter(({ name, isRequired }) => isRequired && (texts[name] ?? '').trim() === '')
    .map(({ name }) => name)
}

/** Returns whether the range of the page is a value of any field. */
export const usesRange = (fields: readonly Field[]): boolean => fields.some(({ bound }) => bound !== undefined)

/** Returns the name of the field that an error of the service is about, or undefined for no field. */
export function fieldOfError(
  fields: readonly Field[],
  { message, code }: { message: string; code: string | undefined },
): string | undefined {
  const named = /parameters? "([^"]+)"/.exec(message)?.[1]
  if (named !== undefined) return fields.find(({ name }) => name === named)?.name
  const isOfSql = code === 'invalid_sql' || code === 'unsupported_sql'
  if (isOfSql) return fields.find(({ name }) => name === 'sql')?.name
  if (code !== 'invalid_pattern') return undefined
  const patterns = fields.filter(({ description }) => /\bRE2\b/.test(description))
  return patterns.length === 1 ? patterns[0].name : undefined
}
