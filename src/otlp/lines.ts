/** Encodes OTLP records as lines of NDJSON, in the format of standard input. docs/otlp.md describes the mapping. */

import { LogweirError } from '../base/errors.js'
import { concatBytes } from '../base/memory/concat-bytes.js'
import { KIB, MIB } from '../base/units.js'
import { addHttpMembers } from './http-attributes.js'
import { membersJson, nestAttributes, toJson } from './metadata.js'
import type { Attributes, LogRecord, RecordGroup, Scope, UnreadableRecord, Value } from './request.js'

const SOURCE = 'logweir.source'

/** An attribute of a resource that can name the source. `logweir.source` always counts first. */
export type SourceAttribute = typeof SOURCE | 'service.name'

/** Limits of the lines of a request. */
export interface LinesLimits {
  records: number
  /** Bytes of all lines together. Each line repeats the fields of its resource. */
  linesBytes: number
}

/** The limits in production. Tests pass smaller limits. */
export const LINES_LIMITS: LinesLimits = { records: 500_000, linesBytes: 48 * MIB }

/** Lines are concatenated to strings of about this length, and then encoded as bytes. */
const FLUSH_CHARACTERS = 256 * KIB

/**
 * Returns the lines of all records, in order, each with its newline. `source` names the attribute of the resource that
 * is the source of records without `logweir.source`. Throws `body_too_large` if a limit is exceeded.
 */
export function encodeLines(
  groups: Iterable<RecordGroup>,
  limits: LinesLimits,
  source: SourceAttribute = SOURCE,
): Uint8Array<ArrayBuffer> {
  const chunks: Buffer[] = []
  let [records, bytes, text] = [0, 0, '']

  function flush() {
    const chunk = Buffer.from(text)
    text = ''
    bytes += chunk.length
    if (bytes > limits.linesBytes) throw tooManyBytes(limits.linesBytes)
    chunks.push(chunk)
  }
  for (const group of groups) {
    const shared = sharedJson(group, source)
    for (const record of group.records) {
      if (++records > limits.records) throw tooManyRecords(limits.records)
      text += 'reason' in record ? unreadableLine(record, shared) : recordLine(record, shared)
      if (text.length > FLUSH_CHARACTERS) flush()
    }
  }
  flush()
  return concatBytes(chunks, bytes)
}

/** JSON that all lines of a group share. A property is empty if the group has no such field. */
interface SharedJson {
  /** Source and project, each followed by a comma. */
  head: string
  resource: string
  scope: string
}

const [PROJECT, ID] = ['logweir.project', 'logweir.id']

function sharedJson({ resource, scope }: RecordGroup, source: SourceAttribute): SharedJson {
  const sourceValue = attributeValue(resource, SOURCE) ?? textValue(resource, source)
  const projectValue = attributeValue(resource, PROJECT)
  const others = resource.filter(([key]) => key !== SOURCE && key !== PROJECT)
  return {
    head: member('source', sourceValue) + member('project', projectValue),
    resource: others.length === 0 ? '' : toJson(nestAttributes(others)),
    scope: scopeJson(scope),
  }
}

/** Returns the value of an attribute. Undefined if the value is absent, null or empty. */
function attributeValue(attributes: Attributes, name: string): Value | undefined {
  const value = attributes.findLast(([key]) => key === name)?.[1]
  return value === null || value === '' ? undefined : value
}

function textValue(attributes: Attributes, name: string): string | undefined {
  const value = attributeValue(attributes, name)
  return typeof value === 'string' ? value : undefined
}

/** Returns a member of an object, followed by a comma. Empty if the value is undefined. */
const member = (name: string, value: Value | undefined) => (value === undefined ? '' : `"${name}":${toJson(value)},`)

function scopeJson({ name, version, attributes }: Scope): string {
  const members = new Map<string, Value>()
  if (name !== '') members.set('name', name)
  if (version !== '') members.set('version', version)
  if (attributes.length > 0) members.set('attributes', nestAttributes(attributes))
  return members.size === 0 ? '' : toJson(members)
}

function recordLine(record: LogRecord, shared: SharedJson): string {
  const id = member('id', attributeValue(record.attributes, ID))
  const message = member('event_message', messageText(record.body))
  return `{${shared.head}${id}${timeMember(record)}${message}"metadata":{${metadataMembers(record, shared)}}}\n`
}

function messageText(body: Value): string | undefined {
  if (body === null) return undefined
  return typeof body === 'string' ? body : toJson(body)
}

/** The ingest reads numbers from here on as nanoseconds. */
const FIRST_NANOS = 10n ** 17n
const NANOS_PER_MS = 1_000_000n

/** Returns the timestamp member. Empty if the record has no time: the ingest then sets the time of receipt. */
function timeMember({ timeUnixNano, observedTimeUnixNano }: LogRecord): string {
  const nanos = timeUnixNano || observedTimeUnixNano
  if (nanos === 0n) return ''
  const isPlain = nanos >= FIRST_NANOS
  return `"timestamp":${isPlain ? nanos : JSON.stringify(new Date(Number(nanos / NANOS_PER_MS)))},`
}

/**
 * Returns the members of the metadata: the attributes, copies of HTTP attributes, then the other fields, each prefixed
 * with `otel.` if an attribute has the same name.
 */
function metadataMembers(record: LogRecord, shared: SharedJson): string {
  const attributes = nestAttributes(record.attributes.filter(([key]) => key !== ID))
  addHttpMembers(attributes)
  let members = membersJson(attributes)
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
  add('resource', shared.resource)
  add('scope', shared.scope)
  return members
}

const textJson = (text: string) => (text === '' ? '' : JSON.stringify(text))
const numberJson = (number: number) => (number === 0 ? '' : String(number))
/** An id that is all zeros is absent (W3C Trace Context). */
const idJson = (id: string) => (/^0*$/.test(id) ? '' : `"${id}"`)

/** Returns a line that the ingest rejects as `invalid_field`, because the metadata is a text: the reason. */
function unreadableLine({ reason, text }: UnreadableRecord, { head }: SharedJson): string {
  const metadata = `Not a log record of OTLP: ${reason}.`
  return `{${head}"metadata":${JSON.stringify(metadata)},"record":${JSON.stringify(text)}}\n`
}

const tooManyRecords = (records: number) =>
  new LogweirError(
    'body_too_large',
    `The body holds over ${records} records. Nothing of it was taken. Send smaller batches.`,
  )

const tooManyBytes = (bytes: number) =>
  new LogweirError(
    'body_too_large',
    `The records of the body take over ${bytes / MIB} MiB as lines, each of which repeats its resource. ` +
      'Nothing of it was taken. Send smaller batches.',
  )
