/** OTLP records as the lines of NDJSON that standard input would bring; docs/otlp.md says what becomes of what. */

import { concatBytes } from '../base/concat-bytes.js'
import { LogweirError } from '../base/errors.js'
import { KIB, MIB } from '../base/units.js'
import { addHttpMembers } from './http-attributes.js'
import { jsonOf, membersOf, objectOf } from './metadata.js'
import type { Attributes, Damaged, Group, LogRecord, Scope, Value } from './request.js'

export interface LinesLimits {
  records: number
  /** All lines together: each repeats what its resource says. */
  linesBytes: number
}

export const LINES_LIMITS: LinesLimits = { records: 500_000, linesBytes: 48 * MIB }

/** Lines are put together as text of about this length. */
const TEXT_LENGTH = 256 * KIB

/** The lines of all records, in order, each with its newline. Throws `body_too_large`. */
export function linesOf(groups: Iterable<Group>, limits: LinesLimits): Uint8Array<ArrayBuffer> {
  const pieces: Buffer[] = []
  let [records, bytes, text] = [0, 0, '']

  function flush() {
    const piece = Buffer.from(text)
    text = ''
    bytes += piece.length
    if (bytes > limits.linesBytes) throw tooLong(limits.linesBytes)
    pieces.push(piece)
  }
  for (const group of groups) {
    const frame = frameOf(group)
    for (const record of group.records) {
      if (++records > limits.records) throw tooMany(limits.records)
      text += 'what' in record ? damagedLine(record, frame) : lineOf(record, frame)
      if (text.length > TEXT_LENGTH) flush()
    }
  }
  flush()
  return concatBytes(pieces, bytes)
}

/** What is the same in all lines of a group, as JSON; empty where it is not there. */
interface Frame {
  /** Source and project, each with a comma behind it. */
  head: string
  resource: string
  scope: string
}

const [SOURCE, PROJECT, ID] = ['logweir.source', 'logweir.project', 'logweir.id']

function frameOf({ resource, scope }: Group): Frame {
  const [sourceValue, projectValue] = [valueIn(resource, SOURCE), valueIn(resource, PROJECT)]
  const rest = resource.filter(([key]) => key !== SOURCE && key !== PROJECT)
  return {
    head: memberOf('source', sourceValue) + memberOf('project', projectValue),
    resource: rest.length === 0 ? '' : jsonOf(objectOf(rest)),
    scope: scopeJson(scope),
  }
}

/** Undefined where it is not there, null or empty. */
function valueIn(attributes: Attributes, name: string): Value | undefined {
  const value = attributes.findLast(([key]) => key === name)?.[1]
  return value === null || value === '' ? undefined : value
}

/** A member with a comma behind it. */
const memberOf = (name: string, value: Value | undefined) => (value === undefined ? '' : `"${name}":${jsonOf(value)},`)

function scopeJson({ name, version, attributes }: Scope): string {
  const members = new Map<string, Value>()
  if (name !== '') members.set('name', name)
  if (version !== '') members.set('version', version)
  if (attributes.length > 0) members.set('attributes', objectOf(attributes))
  return members.size === 0 ? '' : jsonOf(members)
}

function lineOf(record: LogRecord, frame: Frame): string {
  const id = memberOf('id', valueIn(record.attributes, ID))
  const message = memberOf('event_message', messageOf(record.body))
  return `{${frame.head}${id}${timeOf(record)}${message}"metadata":{${metadataOf(record, frame)}}}\n`
}

function messageOf(body: Value): string | undefined {
  if (body === null) return undefined
  return typeof body === 'string' ? body : jsonOf(body)
}

/** From here on a number is read as nanoseconds. */
const FIRST_NANOS = 10n ** 17n
const NANOS_PER_MS = 1_000_000n

/** Without any time that of receipt is taken. */
function timeOf({ timeUnixNano, observedTimeUnixNano }: LogRecord): string {
  const nanos = timeUnixNano || observedTimeUnixNano
  if (nanos === 0n) return ''
  const isPlain = nanos >= FIRST_NANOS
  return `"timestamp":${isPlain ? nanos : JSON.stringify(new Date(Number(nanos / NANOS_PER_MS)))},`
}

/** The members of the metadata: the attributes, copies of HTTP's, then what else is known, under a longer name where its own is taken. */
function metadataOf(record: LogRecord, frame: Frame): string {
  const attributes = objectOf(record.attributes.filter(([key]) => key !== ID))
  addHttpMembers(attributes)
  let members = membersOf(attributes)
  const add = (name: string, json: string) => {
    if (json === '') return
    members += `${members === '' ? '' : ','}"${attributes.has(name) ? `otel.${name}` : name}":${json}`
  }
  add('severity_text', textJson(record.severityText))
  add('severity_number', numberJson(record.severityNumber))
  add('event_name', textJson(record.eventName))
  add('trace_id', idJson(record.traceId))
  add('span_id', idJson(record.spanId))
  add('trace_flags', numberJson(record.flags))
  add('resource', frame.resource)
  add('scope', frame.scope)
  return members
}

const textJson = (text: string) => (text === '' ? '' : JSON.stringify(text))
const numberJson = (number: number) => (number === 0 ? '' : String(number))
/** An id of nothing but zeros is none (W3C Trace Context). */
const idJson = (id: string) => (/^0*$/.test(id) ? '' : `"${id}"`)

/** A line that is rejected as `invalid_field`, for its metadata are no object, and says why and of what. */
function damagedLine({ what, text }: Damaged, { head }: Frame): string {
  return `{${head}"metadata":${JSON.stringify(`No log record of OTLP: ${what}.`)},"record":${JSON.stringify(text)}}\n`
}

const tooMany = (records: number) =>
  new LogweirError(
    'body_too_large',
    `The body holds over ${records} records. Nothing of it was taken. Send smaller batches.`,
  )
const tooLong = (bytes: number) =>
  new LogweirError(
    'body_too_large',
    `The records of the body take over ${bytes / MIB} MiB as lines, each of which repeats its resource. Nothing of it was taken. Send smaller batches.`,
  )
