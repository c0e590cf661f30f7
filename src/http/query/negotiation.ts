import { parseAccept } from 'hono/utils/accept'
import { arrowFormat } from '../formats/arrow.js'
import { csvFormat } from '../formats/csv.js'
import type { Format } from '../formats/format.js'
import { jsonFormat } from '../formats/json.js'
import { ndjsonFormat } from '../formats/ndjson.js'
import { refusals } from '../reply/errors.js'
import { ANSWER_HEADERS, type HeaderFields } from '../reply/reply.js'

/** A media type of answers. */
export interface Representation {
  format: Format
  /** The headers of every 200 response of this type. */
  headers: HeaderFields
}

const JSON_REPRESENTATION = representationOf(jsonFormat, 'application/json; charset=utf-8')

/** By media type, in our order of preference. */
const REPRESENTATIONS: readonly (readonly [mediaType: string, representation: Representation])[] = [
  ['application/json', JSON_REPRESENTATION],
  ['application/x-ndjson', representationOf(ndjsonFormat, 'application/x-ndjson; charset=utf-8')],
  ['application/ndjson', representationOf(ndjsonFormat, 'application/ndjson; charset=utf-8')],
  ['application/jsonl', representationOf(ndjsonFormat, 'application/jsonl; charset=utf-8')],
  ['text/csv', representationOf(csvFormat, 'text/csv; charset=utf-8')],
  ['application/vnd.apache.arrow.stream', representationOf(arrowFormat, 'application/vnd.apache.arrow.stream')],
]

function representationOf(format: Format, contentType: string): Representation {
  return { format, headers: { ...ANSWER_HEADERS, 'Content-Type': contentType } }
}

/** The Accept header of most clients without a preference. */
const ANY = '*/*'
const MEDIA_RANGE = /^(?:\*\/\*|[^\s/*]+\/(?:\*|[^\s/*]+))$/

/** A media range of an Accept header: the weight, and the index in the header. */
interface Range {
  q: number
  index: number
}

/**
 * Returns the representation that a client prefers (RFC 9110, 12.5.1): by weight. Among equal weights, a named media
 * type precedes a media type that only a wildcard matches. Then the order of the header counts, then our order. Returns
 * JSON if the header is absent or contains no media range. Throws `not_acceptable` if the header accepts none of our
 * media types.
 */
export function negotiate(request: Headers): Representation {
  const header = request.get('accept')
  if (!header || header === ANY) return JSON_REPRESENTATION
  const ranges = rangesOf(header)
  if (ranges.size === 0) return JSON_REPRESENTATION
  const best = bestIn(ranges)
  if (best === undefined) throw refusals.notAcceptable(REPRESENTATIONS.map(([mediaType]) => mediaType))
  return best.representation
}

/** Server-sent events, which are an answer that goes on. */
export const EVENT_STREAM = 'text/event-stream'

/**
 * Like {@link negotiate}, for a path that also answers with a stream of events. Returns {@link EVENT_STREAM} if the
 * header names that type, and prefers it. A wildcard never matches that type.
 */
export function negotiateQuery(request: Headers): Representation | typeof EVENT_STREAM {
  const header = request.get('accept')
  if (!header?.toLowerCase().includes(EVENT_STREAM)) return negotiate(request)
  const ranges = rangesOf(header)
  const range = ranges.get(EVENT_STREAM)
  if (range === undefined) return negotiate(request)
  const best = bestIn(ranges)
  const events = { range, precision: NAMED }
  return range.q > 0 && (best === undefined || isBetter(events, best)) ? EVENT_STREAM : negotiate(request)
}

/** The best of our media types. Undefined if none is accepted. */
function bestIn(ranges: ReadonlyMap<string, Range>): (Match & { representation: Representation }) | undefined {
  let best: (Match & { representation: Representation }) | undefined
  for (const [mediaType, candidate] of REPRESENTATIONS) {
    const match = rangeFor(mediaType, ranges)
    if (match === undefined || match.range.q === 0) continue
    if (best === undefined || isBetter(match, best)) best = { representation: candidate, ...match }
  }
  return best
}

/** The well-formed ranges of a header. Among equal ranges, only the range with the highest weight. */
function rangesOf(header: string): Map<string, Range> {
  const ranges = new Map<string, Range>()
  parseAccept(header).forEach(({ type, q }, index) => {
    const name = type.toLowerCase()
    if (MEDIA_RANGE.test(name) && !ranges.has(name)) ranges.set(name, { q, index })
  })
  return ranges
}

/** A range that matches a type, and how precisely: 0 for any type, {@link NAMED} for the type's name. */
interface Match {
  precision: number
  range: Range
}

const NAMED = 2

/** The most precise range that matches a type, or undefined if no range matches. */
function rangeFor(mediaType: string, ranges: ReadonlyMap<string, Range>): Match | undefined {
  const forms = [ANY, `${mediaType.slice(0, mediaType.indexOf('/'))}/*`, mediaType]
  const precision = forms.findLastIndex((form) => ranges.has(form))
  return precision < 0 ? undefined : { precision, range: ranges.get(forms[precision])! }
}

function isBetter(one: Match, other: Match): boolean {
  if (one.range.q !== other.range.q) return one.range.q > other.range.q
  if (one.precision !== other.precision) return one.precision > other.precision
  return one.range.index < other.range.index
}
