/** `POST /api/logs`: accepts records as JSON and answers with the outcome. */
import type { IncomingMessage } from 'node:http'
import { LogweirError } from '../../base/errors.js'
import type { Log } from '../../base/log.js'
import type { Clock } from '../../base/time/clock.js'
import type { FieldNames } from '../../common/field-names.js'
import { explainRefusals, type SourceRefusal } from '../../common/source-refusals.js'
import { type ErrorForm, errorJson } from '../reply/error-form.js'
import { refusals } from '../reply/errors.js'
import { jsonReply } from '../reply/reply.js'
import { contentTypes, isUtf8, type MediaType } from './media-types.js'
import { fieldNamesIn, projectOf, sourceOf } from './parameters.js'
import { createUploads, UPLOAD_LIMITS, type Upload, type UploadLimits } from './upload.js'

/** The outcome of the records of a body. */
export interface SendOutcome {
  taken: number
  rejected: number
  byReason: Readonly<Record<string, number>>
  /** The first rejected records, numbered from 1. */
  rejects: readonly { record: number; reason: string }[]
  /** Why records were rejected as `unknown_source`. */
  refusedSources?: readonly SourceRefusal[]
}

/** Values for records that lack the field. Also the projects that records may have, and the token bound to these. */
interface RecordDefaults {
  source?: string
  project?: string
  fieldNames?: FieldNames
  projects?: ReadonlySet<string>
  token?: string
}

/** Stores the records of request bodies. */
export interface RecordIntake {
  /**
   * Stores the records of a body. Resolves when all valid records are stored. Rejects with `invalid_body` or
   * `body_too_large` if nothing was stored. After other errors, some records may be stored. Records of projects that
   * are not in `projects` are rejected. Once `signal` is aborted, work that has not begun is skipped. The intake owns
   * `bytes`.
   */
  take(bytes: Uint8Array, form: 'json' | 'ndjson', defaults: RecordDefaults, signal: AbortSignal): Promise<SendOutcome>
  /** Returns why rows cannot be stored at the moment, or undefined if rows can be stored. */
  writeFailure(): Error | undefined
  /** Starts the threads that parse bodies. Called when records are about to be sent. */
  prepare(): void
}

/** Limits of requests with records. */
export interface LogsLimits extends UploadLimits {
  /** How long storing a body may take, from the last byte on. */
  takeMs: number
}

/** The limits of the service. */
export const LOGS_LIMITS: LogsLimits = { ...UPLOAD_LIMITS, takeMs: 10_000 }

/** A POST. With `projects`, the token permits only records of the listed projects. `token`: the id of such a token. */
export interface SendRequest {
  request: Request
  incoming?: IncomingMessage
  projects?: ReadonlySet<string>
  token?: string
}

/** The paths that accept records as JSON. */
export interface Logs {
  /** Answers a POST. Rejects with the errors of {@link take} and `unsupported_content_type`. */
  answer(sending: SendRequest): Promise<Response>
  /** Passes the records of a POST to the intake, after `translate` if given. Rejects if nothing could be stored. */
  take(
    sending: SendRequest,
    form: 'json' | 'ndjson',
    translate?: (bytes: Uint8Array) => Promise<Uint8Array>,
  ): Promise<SendOutcome>
}

/** The response of Logflare. */
const LOGGED = JSON.stringify({ message: 'Logged!' })

/** The surroundings of the paths. */
interface LogsOptions {
  limits: LogsLimits
  clock: Clock
  log: Log
  errorForm: ErrorForm
  /** The project of records that neither a record, the URL nor the token names. */
  defaultProject: string | undefined
}

/** Creates the paths. The paths share a memory limit for bodies. */
export function createLogs(intake: RecordIntake, { limits, clock, log, errorForm, defaultProject }: LogsOptions): Logs {
  const uploads = createUploads(limits, clock)

  const take: Logs['take'] = async ({ request, incoming, projects, token }, form, translate) => {
    const params = new URL(request.url).searchParams
    const defaults = {
      source: sourceOf(params),
      project: projectOf(params, projects, defaultProject),
      projects,
      token,
      // Translated records have the default field names.
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

  /**
   * Rejects with `engine_unavailable` if storing takes too long. The body's memory stays reserved until the intake is
   * done.
   */
  function inTime(taking: Promise<SendOutcome>, late: AbortController): Promise<SendOutcome> {
    return new Promise((resolve, reject) => {
      const stop = clock.every(limits.takeMs, () => {
        stop()
        late.abort(refusals.notStored())
        reject(refusals.notStored())
      })
      taking.then(resolve, (error) => reject(publicError(error))).finally(stop)
    })
  }

  /** Errors of the body are returned unchanged. After any other error, the client should retry. */
  function publicError(error: Error): Error {
    if (error instanceof LogweirError && BODY_CODES.has(error.code)) return error
    log(`records of an HTTP request could not be stored: ${error.message}`, {
      level: 'error',
      code: 'records_not_taken',
    })
    return refusals.notStored()
  }

  return {
    take,
    answer: async (sending) => replyOf(await take(sending, formOf(sending.request.headers)), errorForm),
  }
}

/** Returns the bytes for the intake. Memory of a translation is reserved in addition to the memory of the body. */
async function translated({ bytes, reserve }: Upload, translate: Parameters<Logs['take']>[2]): Promise<Uint8Array> {
  if (translate === undefined) return bytes
  const made = await translate(bytes)
  reserve(made.length)
  return made
}

/** Returns 200 if any record was stored. Returns 400, which shippers do not retry, if all records were rejected. */
function replyOf({ taken, rejected, byReason, rejects, refusedSources }: SendOutcome, errorForm: ErrorForm): Response {
  if (rejected === 0) return jsonReply(LOGGED)
  const more = rejected - rejects.length
  const outcome = { taken, rejected: rejects, ...(more > 0 ? { more_rejected: more } : {}) }
  if (taken > 0) return jsonReply(JSON.stringify({ message: 'Logged!', ...outcome }))
  const { status, ...error } = faultOf(byReason, refusedSources)
  return jsonReply(errorJson(error, errorForm, outcome), status)
}

const SOURCE_HINT = 'Name their source in the URL, as ?source=edge_logs, or in each record. '

/**
 * Returns the error of a body without an accepted record. If all rejects have the same reason, and the reason is an
 * error code, the code is that reason, else `invalid_records`. The message says why sources were refused.
 */
export function faultOf(
  byReason: SendOutcome['byReason'],
  refusedSources: SendOutcome['refusedSources'] = [],
): { status: number; message: string; code: string } {
  const [reason, ...others] = Object.keys(byReason)
  const status = others.length === 0 ? REASON_STATUSES.get(reason!) : undefined
  const counts = Object.entries(byReason).map(([name, count]) => `${name} ${count}`)
  const hint = 'missing_source' in byReason ? SOURCE_HINT : ''
  const message =
    `No record was accepted: ${counts.join(', ')}. The rejects file lists them. ` +
    `${hint}${explainRefusals(refusedSources)}Correct them, and send them again.`
  return { status: status ?? 400, code: status ? reason! : 'invalid_records', message }
}

/** Errors of a body that are found after receiving the body, and too little memory for a translation. */
const BODY_CODES = new Set(['invalid_body', 'body_too_large', 'too_many_bodies'])
/** Reasons that are error codes if all records have the same, and their HTTP status. */
const REASON_STATUSES = new Map([
  ['missing_source', 400],
  ['unknown_source', 400],
  ['forbidden_project', 403],
])

type Form = 'json' | 'ndjson'

const NDJSON_TYPES = new Set(['application/x-ndjson', 'application/ndjson', 'application/jsonl'])
const JSON_TYPE = /^application\/(?:json|[^\s/]+\+json)$/

/**
 * Returns the form of a body. If several types are given, all must be known. The form is NDJSON only if all types are.
 */
function formOf(headers: Headers): Form {
  const forms = contentTypes(headers).map(formOfType)
  if (forms.length === 0 || forms.includes(undefined)) throw unknownType()
  return forms.includes('json') ? 'json' : 'ndjson'
}

function formOfType(type: MediaType): Form | undefined {
  const { name } = type
  if (!isUtf8(type)) return undefined
  if (NDJSON_TYPES.has(name)) return 'ndjson'
  return JSON_TYPE.test(name) ? 'json' : undefined
}

const unknownType = () =>
  new LogweirError(
    'unsupported_content_type',
    'The Content-Type is not one of JSON. ' +
      'Send application/json, application/*+json, application/x-ndjson or application/jsonl, in UTF-8.',
  )
