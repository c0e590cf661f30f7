/** The parameters of a query in the body of a POST, for texts that proxies would cut in a URL. */
import type { IncomingMessage } from 'node:http'
import { LogweirError } from '../../base/errors.js'
import { escapeControl } from '../../base/text/escape-control.js'
import { shorten } from '../../base/text/shorten.js'
import type { Clock } from '../../base/time/clock.js'
import { KIB, MIB } from '../../base/units.js'
import { invalidParameter } from '../../endpoints/params.js'
import { membersOfJson } from '../../plan/functions/json-path.js'
import { refusals } from '../reply/errors.js'
import { contentTypes, isUtf8 } from './media-types.js'
import { createUploads, UPLOAD_LIMITS, type UploadLimits } from './upload.js'

/** The most bytes of a body with parameters, as sent and decompressed. */
const BODY_BYTES = 256 * KIB
const MAX_BODIES_BYTES = 8 * MIB
/** The share of the memory limit for all such bodies. */
const BODIES_SHARE = 1 / 64

/** Returns the limits of bodies with parameters, in a process with a memory limit. */
export const postedLimits = (memoryLimitBytes: number): UploadLimits => ({
  ...UPLOAD_LIMITS,
  bodyBytes: BODY_BYTES,
  bodiesBytes: Math.max(2 * BODY_BYTES, Math.min(MAX_BODIES_BYTES, memoryLimitBytes * BODIES_SHARE)),
})

/** A POST of a query, with the connection if there is a connection. */
interface PostRequest {
  request: Request
  incoming: IncomingMessage | undefined
}

/**
 * Returns the parameters of a POST as a query string: first the parameters of the URL with the query string `search`,
 * then the parameters of the body. A body of another type is not read. Rejects with `unsupported_content_type`,
 * `invalid_body`, `invalid_parameter`, `duplicate_parameter` if URL and body have a name in common, and the errors of
 * {@link createUploads}.
 */
export type ReadPosted = (post: PostRequest, search: string) => Promise<string>

/** Creates the reader. Bodies have the time limits of all bodies, and a separate memory limit. */
export function createPostedParameters(limits: UploadLimits, clock: Clock): ReadPosted {
  const uploads = createUploads(limits, clock)
  return async ({ request, incoming }, search) => {
    const read = readerOf(request.headers)
    const upload = await uploads.read(request, incoming).catch((error) => {
      throw explained(error, limits.bodyBytes)
    })
    try {
      return joined(search, read(decode(upload.bytes)))
    } finally {
      upload.release()
    }
  }
}

/** The name and the text of each parameter, in the order of the body. */
type Pairs = Iterable<readonly [name: string, text: string]>

const READERS = new Map<string, (text: string) => Pairs>([
  ['application/json', pairsOfJson],
  ['application/x-www-form-urlencoded', (text) => new URLSearchParams(text)],
])

const TYPES = [...READERS.keys()].join(' or ')

/** Returns the reader of a body's type. If several types are given, all must be equal. */
function readerOf(headers: Headers): (text: string) => Pairs {
  const types = contentTypes(headers)
  const names = new Set(types.map(({ name }) => name))
  const reader = names.size === 1 && types.every(isUtf8) ? READERS.get(types[0].name) : undefined
  if (reader !== undefined) return reader
  throw new LogweirError(
    'unsupported_content_type',
    `A query by POST has its parameters in the body. Send the body as ${TYPES}, in UTF-8, and name that Content-Type.`,
  )
}

/** The messages of receiving a body are about records. Returns the same error with words about a query. */
function explained(error: unknown, bodyBytes: number): unknown {
  if (!(error instanceof LogweirError)) return error
  const message = MESSAGES.get(error.code)?.(bodyBytes)
  return message === undefined ? error : new LogweirError(error.code, message)
}

const MESSAGES = new Map<string, (bodyBytes: number) => string>([
  [
    'body_too_large',
    (bytes) => `The parameters are over ${bytes / KIB} KiB, as they are sent or decompressed. Send shorter texts.`,
  ],
  ['request_timeout', () => 'The parameters arrived too slowly. Send the request again, faster.'],
  ['too_many_bodies', () => 'Too many queries are being received. Send the request again shortly.'],
])

const invalidBody = (fault: string) => new LogweirError('invalid_body', `The body ${fault}`)

const EXAMPLE = 'Send an object of parameters, such as {"project":"abc"}.'

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalidBody('is no text in UTF-8. Encode it in UTF-8.')
  }
}

function pairsOfJson(json: string): Pairs {
  const value = parse(json)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidBody(`is ${kindOf(value)} in JSON. ${EXAMPLE}`)
  }
  const members = membersOfJson(json)
  const twice = firstRepeated(members.map(([name]) => name))
  if (twice !== undefined) throw refusals.twice(shownName(twice))
  return members.map(([name, spelled]) => [name, textOf(name, spelled)])
}

function parse(json: string): unknown {
  if (json.trim() === '') throw invalidBody(`is empty. ${EXAMPLE}`)
  try {
    return JSON.parse(json)
  } catch (error) {
    throw invalidBody(`is not valid JSON: ${escapeControl((error as Error).message.toWellFormed())}. ${EXAMPLE}`)
  }
}

/** Returns a value of a parameter as the text in a URL. An integer that no double holds keeps all digits. */
function textOf(name: string, spelled: string): string {
  const value: unknown = JSON.parse(spelled)
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value === 'boolean') return spelled
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : spelled
  const remedy = value === null ? 'Leave the parameter out.' : 'Give its JSON as a text, in quotes.'
  throw invalidParameter(
    `The parameter "${shownName(name)}" is ${kindOf(value)}. In JSON a parameter is a text, a number, true or false. ` +
      remedy,
  )
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : 'one value'

function firstRepeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return names.find((name) => seen.size === seen.add(name).size)
}

/** Returns a query string with the parameters of the URL and of the body. */
function joined(search: string, pairs: Pairs): string {
  const parameters = new URLSearchParams(search)
  const inUrl = new Set(parameters.keys())
  for (const [name, text] of pairs) {
    if (inUrl.has(name.toWellFormed())) throw inBoth(name)
    parameters.append(name, text)
  }
  return String(parameters)
}

const inBoth = (name: string) =>
  new LogweirError(
    'duplicate_parameter',
    `The parameter "${shownName(name)}" is in the URL and in the body. Give it once.`,
  )

const MAX_SHOWN_CHARACTERS = 64
const shownName = (name: string) => escapeControl(shorten(name, MAX_SHOWN_CHARACTERS))
