/** `POST /api/logs`: records in, their outcome out. */
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../base/clock.js'
import { LogweirError } from '../../base/errors.js'
import type { Log } from '../../base/log.js'
import { invalidParameter } from '../../endpoints/params.js'
import { EXPECTED_NAMES, type FieldNames, fieldNamesOf, readFieldNames } from '../../field-names.js'
import { findSource, SOURCE_NAMES } from '../../sources.js'
import { refusals } from '../reply/errors.js'
import { jsonReply } from '../reply/reply.js'
import { contentTypes, type MediaType } from './media-types.js'
import { createUploads, UPLOAD_LIMITS, type Upload, type UploadLimits } from './upload.js'

/** What became of the records of a body. */
export interface SendOutcome {
  taken: number
  rejected: number
  byReason: Readonly<Record<string, number>>
  /** The first that were rejected, by their number from 1. */
  rejects: readonly { record: number; reason: string }[]
}

/** Where the records go. */
export interface RecordIntake {
  /**
   * Resolves when all that can be taken is kept. Throws `invalid_body` or `body_too_large` where nothing was taken; another failure may have
   * come when some was. Records of other projects than `projects` are rejected. What has not begun when the signal is aborted never does. The bytes are the intake's.
   */
  take(
    bytes: Uint8Array,
    form: 'json' | 'ndjson',
    defaults: { source?: string; project?: string; fieldNames?: FieldNames; projects?: ReadonlySet<string> },
    signal: AbortSignal,
  ): Promise<SendOutcome>
  /** What keeps rows from being kept at the moment, if anything does. */
  writeFailure(): Error | undefined
  /** Records are about to come: gets ready what takes them. */
  prepare(): void
}

export interface LogsLimits extends UploadLimits {
  /** How long a body may take from its last byte until it is kept. */
  takeMs: number
}

export const LOGS_LIMITS: LogsLimits = { ...UPLOAD_LIMITS, takeMs: 10_000 }

/** One POST, of a caller who may send records of all projects, or of `projects` only. */
export interface SendRequest {
  request: Request
  incoming?: IncomingMessage
  projects?: ReadonlySet<string>
}

export interface Logs {
  /** Answers one POST. */
  answer(sending: SendRequest): Promise<Response>
  /** Brings the records of one POST to the intake, once `translate`, where there is one, has given them that form. */
  take(
    sending: SendRequest,
    form: 'json' | 'ndjson',
    translate?: (bytes: Uint8Array) => Promise<Uint8Array>,
  ): Promise<SendOutcome>
}

/** The answer that shippers of such a service know. */
const LOGGED = JSON.stringify({ message: 'Logged!' })

export function createLogs(intake: RecordIntake, limits: LogsLimits, clock: Clock, log: Log): Logs {
  const uploads = createUploads(limits, clock)

  const take: Logs['take'] = async ({ request, incoming, projects }, form, translate) => {
    const params = new URL(request.url).searchParams
    const defaults = {
      source: sourceOf(params),
      project: projectOf(params, projects),
      projects,
      // What is translated has the default names, whatever it was called before.
      fieldNames: translate === undefined ? fieldNamesIn(params) : undefined,
    }
    if (intake.writeFailure() !== undefined) throw refusals.notStored()
    const upload = await uploads.read(request, incoming)
    const late = new AbortController()
    const taking = translated(upload, translate)
      .then((bytes) => intake.take(bytes, form, defaults, late.signal))
      .finally(upload.release)
    return inTime(taking, late)
  }

  /** The bytes stay held until the intake is done with them, also where the caller is told that it took too long. */
  function inTime(taking: Promise<SendOutcome>, late: AbortController): Promise<SendOutcome> {
    return new Promise((resolve, reject) => {
      const stop = clock.every(limits.takeMs, () => {
        stop()
        late.abort(refusals.notStored())
        reject(refusals.notStored())
      })
      taking.then(resolve, (error) => reject(told(error))).finally(stop)
    })
  }

  /** A retry mends all but what is wrong with the body itself. */
  function told(error: Error): Error {
    if (error instanceof LogweirError && BODY_CODES.has(error.code)) return error
    log(`records that came over HTTP could not be taken: ${error.message}`, {
      level: 'error',
      code: 'records_not_taken',
    })
    return refusals.notStored()
  }

  return {
    take,
    answer: async (sending) => replyOf(await take(sending, formOf(sending.request.headers))),
  }
}

/** What the intake gets; it is held beside the body that it was made of. */
async function translated({ bytes, hold }: Upload, translate: Parameters<Logs['take']>[2]): Promise<Uint8Array> {
  if (translate === undefined) return bytes
  const made = await translate(bytes)
  hold(made.length)
  return made
}

/** 200 as soon as one record was taken; 400, which no shipper repeats, where there were some and all are bad. */
function replyOf({ taken, rejected, byReason, rejects }: SendOutcome): Response {
  if (rejected === 0) return jsonReply(LOGGED)
  const more = rejected - rejects.length
  const outcome = { taken, rejected: rejects, ...(more > 0 ? { more_rejected: more } : {}) }
  if (taken > 0) return jsonReply(JSON.stringify({ message: 'Logged!', ...outcome }))
  const { status, code, error } = faultOf(byReason)
  return jsonReply(JSON.stringify({ error, code, ...outcome }), status)
}

const SOURCE_HINT = 'Name their source in the URL, as ?source=edge_logs, or in each record. '

/** What is wrong where no record could be taken. */
export function faultOf(byReason: SendOutcome['byReason']): { status: number; error: string; code: string } {
  const [reason, ...others] = Object.keys(byReason)
  const status = others.length === 0 ? TELLING_REASONS.get(reason!) : undefined
  const counts = Object.entries(byReason).map(([name, count]) => `${name} ${count}`)
  const hint = 'missing_source' in byReason ? SOURCE_HINT : ''
  const error = `No record could be taken: ${counts.join(', ')}. They are in the rejects file. ${hint}Mend them, and send them again.`
  return { status: status ?? 400, code: status ? reason! : 'invalid_records', error }
}

/** Faults of a body that are found when it has come, and too little room for what is made of it. */
const BODY_CODES = new Set(['invalid_body', 'body_too_large', 'too_many_bodies'])
/** Reasons that are codes of their own where all records have the same, and their status. */
const TELLING_REASONS = new Map([
  ['missing_source', 400],
  ['unknown_source', 400],
  ['forbidden_project', 403],
])

/** The source that the URL names, as `source` or `source_name`, by its own name. */
function sourceOf(params: URLSearchParams): string | undefined {
  const [token, name] = [one(params, 'source'), one(params, 'source_name')]
  if (token !== undefined && name !== undefined && token !== name) throw refusals.twice('source')
  const named = token ?? name
  if (named === undefined) return undefined
  const source = findSource(named)
  if (source !== undefined) return source.name
  throw new LogweirError(
    'unknown_source',
    `There is no source of the name that the URL gives. Use one of ${SOURCE_NAMES.join(', ')}, or an alias.`,
  )
}

/** The project of records that lack one: that of the URL, else the only one that the caller may send records of. */
function projectOf(params: URLSearchParams, projects: ReadonlySet<string> | undefined): string | undefined {
  const named = one(params, 'project')
  if (projects === undefined) return named
  if (named === undefined) return projects.size === 1 ? [...projects][0] : undefined
  if (projects.has(named)) return named
  throw refusals.forbiddenProject()
}

/** The fields that hold time and message, as the URL names them; undefined if it names none. */
function fieldNamesIn(params: URLSearchParams): FieldNames | undefined {
  const [time, message] = [namesIn(params, 'time_field'), namesIn(params, 'message_field')]
  if (time === undefined && message === undefined) return undefined
  const names = fieldNamesOf(time, message)
  if (names !== undefined) return names
  throw invalidParameter('time_field and message_field name the same field. Leave it out of one of the two.')
}

function namesIn(params: URLSearchParams, parameter: string): string[] | undefined {
  const text = one(params, parameter)
  const names = text === undefined ? undefined : readFieldNames(text)
  if (text === undefined || names !== undefined) return names
  throw invalidParameter(`${parameter} is not what it has to be: ${EXPECTED_NAMES}. Correct it, or leave it out.`)
}

/** A parameter's value; empty is absent. */
function one(params: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = params.getAll(name)
  if (others.length > 0) throw refusals.twice(name)
  return value || undefined
}

type Form = 'json' | 'ndjson'

const NDJSON_TYPES = new Set(['application/x-ndjson', 'application/ndjson', 'application/jsonl'])
const JSON_TYPE = /^application\/(?:json|[^\s/]+\+json)$/
const CHARSETS = new Set([undefined, 'utf-8', 'utf8', 'us-ascii'])

/** If a body has several types, all must be known; then it is NDJSON only if each of them is. */
function formOf(headers: Headers): Form {
  const forms = contentTypes(headers).map(formOfType)
  if (forms.length === 0 || forms.includes(undefined)) throw unknownType()
  return forms.includes('json') ? 'json' : 'ndjson'
}

function formOfType({ name, charset }: MediaType): Form | undefined {
  if (!CHARSETS.has(charset)) return undefined
  if (NDJSON_TYPES.has(name)) return 'ndjson'
  return JSON_TYPE.test(name) ? 'json' : undefined
}

const unknownType = () =>
  new LogweirError(
    'unsupported_content_type',
    'The Content-Type is not one of JSON. Send application/json, application/*+json, application/x-ndjson or application/jsonl, in UTF-8.',
  )
