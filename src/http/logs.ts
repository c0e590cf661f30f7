/** `POST /api/logs`: records in, their fate out. */
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../base/clock.js'
import { LogweirError } from '../base/errors.js'
import type { Log } from '../base/log.js'
import { findSource, SOURCE_NAMES } from '../sources.js'
import { refusals } from './errors.js'
import { jsonReply } from './reply.js'
import { createUploads, UPLOAD_LIMITS, type UploadLimits } from './upload.js'

/** What became of the records of a body. */
export interface Fate {
  taken: number
  rejected: number
  byReason: Readonly<Record<string, number>>
  /** The first that were rejected, by their number from 1. */
  rejects: readonly { record: number; reason: string }[]
}

/** Where the records go. */
export interface Intake {
  /**
   * Resolves when all that can be taken is kept. Throws `invalid_body` or `body_too_large` where nothing was taken; another failure may have
   * come when some was. What has not begun when the signal is aborted never does. The bytes are the intake's.
   */
  take(
    bytes: Uint8Array,
    form: 'json' | 'ndjson',
    defaults: { source?: string; project?: string },
    signal: AbortSignal,
  ): Promise<Fate>
  /** What keeps rows from being kept at the moment, if anything does. */
  trouble(): Error | undefined
}

export interface LogsLimits extends UploadLimits {
  /** How long a body may take from its last byte until it is kept. */
  takeMs: number
}

export const LOGS_LIMITS: LogsLimits = { ...UPLOAD_LIMITS, takeMs: 10_000 }

export interface Logs {
  /** Answers one POST. */
  answer(request: Request, incoming?: IncomingMessage): Promise<Response>
}

/** The answer that shippers of such a service know. */
const LOGGED = JSON.stringify({ message: 'Logged!' })

export function createLogs({ take, trouble }: Intake, limits: LogsLimits, clock: Clock, log: Log): Logs {
  const uploads = createUploads(limits)

  async function answer(request: Request, incoming?: IncomingMessage): Promise<Response> {
    const params = new URL(request.url).searchParams
    const defaults = { source: sourceOf(params), project: one(params, 'project') }
    const form = formOf(request.headers)
    if (trouble() !== undefined) throw refusals.notKept()
    const { bytes, release } = await uploads.read(request, incoming)
    const late = new AbortController()
    const taking = take(bytes, form, defaults, late.signal).finally(release)
    return replyOf(await inTime(taking, late))
  }

  /** The bytes stay held until the intake is done with them, also where the caller is told that it took too long. */
  function inTime(taking: Promise<Fate>, late: AbortController): Promise<Fate> {
    return new Promise((resolve, reject) => {
      const stop = clock.every(limits.takeMs, () => {
        stop()
        late.abort(refusals.notKept())
        reject(refusals.notKept())
      })
      taking.then(resolve, (error) => reject(told(error))).finally(stop)
    })
  }

  /** A retry mends all but what is wrong with the body itself. */
  function told(error: Error): Error {
    if (error instanceof LogweirError && BODY_CODES.has(error.code)) return error
    log(`records that came over HTTP could not be taken: ${error.message}`)
    return refusals.notKept()
  }

  return { answer }
}

/** 200 as soon as one record was taken; 400, which no shipper repeats, where there were some and all are bad. */
function replyOf({ taken, rejected, byReason, rejects }: Fate): Response {
  if (rejected === 0) return jsonReply(LOGGED)
  const more = rejected - rejects.length
  const fate = { taken, rejected: rejects, ...(more > 0 ? { more_rejected: more } : {}) }
  if (taken > 0) return jsonReply(JSON.stringify({ message: 'Logged!', ...fate }))
  const [reason, ...others] = Object.keys(byReason)
  const code = others.length === 0 && SOURCE_REASONS.has(reason!) ? reason! : 'invalid_records'
  const counts = Object.entries(byReason).map(([name, count]) => `${name} ${count}`)
  const error = `No record could be taken: ${counts.join(', ')}. They are in the rejects file. Mend them, and send them again.`
  return jsonReply(JSON.stringify({ error, code, ...fate }), 400)
}

/** Faults of a body that the intake finds. */
const BODY_CODES = new Set(['invalid_body', 'body_too_large'])
const SOURCE_REASONS = new Set(['missing_source', 'unknown_source'])

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

/** A parameter's value; empty is absent. */
function one(params: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = params.getAll(name)
  if (others.length > 0) throw refusals.twice(name)
  return value || undefined
}

const FORMS = new Map<string, 'json' | 'ndjson'>([
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
])

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i

function formOf(headers: Headers): 'json' | 'ndjson' {
  const type = headers.get('content-type') ?? ''
  const form = FORMS.get(type.split(';')[0]!.trim().toLowerCase())
  const charset = CHARSET.exec(type)?.[1]?.toLowerCase() ?? 'utf-8'
  if (form !== undefined && ['utf-8', 'utf8', 'us-ascii'].includes(charset)) return form
  throw new LogweirError(
    'unsupported_content_type',
    'The Content-Type is none that is known here. Send application/json, or application/x-ndjson, in UTF-8.',
  )
}
