import { parseAccept } from 'hono/utils/accept'
import { arrowFormat } from '../formats/arrow.js'
import { csvFormat } from '../formats/csv.js'
import type { Format } from '../formats/format.js'
import { jsonFormat } from '../formats/json.js'
import { ndjsonFormat } from '../formats/ndjson.js'
import { refusals } from '../reply/errors.js'
import { ANSWER_HEADERS, type HeaderFields } from '../reply/reply.js'

/** One media type in which answers are had. */
export interface Representation {
  format: Format
  /** What a 200 of that type bears, beside what is its own. */
  headers: HeaderFields
}

const JSON_REPRESENTATION = offer(jsonFormat, 'application/json; charset=utf-8')

/** By media type, the best liked first. */
const REPRESENTATIONS: readonly (readonly [mediaType: string, offer: Representation])[] = [
  ['application/json', JSON_REPRESENTATION],
  ['application/x-ndjson', offer(ndjsonFormat, 'application/x-ndjson; charset=utf-8')],
  ['application/ndjson', offer(ndjsonFormat, 'application/ndjson; charset=utf-8')],
  ['application/jsonl', offer(ndjsonFormat, 'application/jsonl; charset=utf-8')],
  ['text/csv', offer(csvFormat, 'text/csv; charset=utf-8')],
  ['application/vnd.apache.arrow.stream', offer(arrowFormat, 'application/vnd.apache.arrow.stream')],
]

function offer(format: Format, contentType: string): Representation {
  return { format, headers: { ...ANSWER_HEADERS, 'Content-Type': contentType } }
}

/** What most clients say that do not choose. */
const ANY = '*/*'
const MEDIA_RANGE = /^(?:\*\/\*|[^\s/*]+\/(?:\*|[^\s/*]+))$/

/** A media range of an Accept header: how well it is liked, and at which place it stands. */
interface Range {
  q: number
  place: number
}

/**
 * The type that a request likes best (RFC 9110, 12.5.1): by weight, where these are equal one that it names before one that
 * it means by a wildcard, then in the order of the header, then in ours. JSON where the header is absent or says nothing.
 * Throws `not_acceptable` where it takes none of ours.
 */
export function negotiate(request: Headers): Representation {
  const header = request.get('accept')
  if (!header || header === ANY) return JSON_REPRESENTATION
  const ranges = rangesOf(header)
  if (ranges.size === 0) return JSON_REPRESENTATION
  let best: { offer: Representation; range: Range; precision: number } | undefined
  for (const [mediaType, candidate] of REPRESENTATIONS) {
    const liked = rangeFor(mediaType, ranges)
    if (liked === undefined || liked.range.q === 0) continue
    if (best === undefined || isBetter(liked, best)) best = { offer: candidate, ...liked }
  }
  if (best === undefined) throw refusals.notAcceptable(REPRESENTATIONS.map(([mediaType]) => mediaType))
  return best.offer
}

/** The well-formed ranges of a header; of equal ones the best liked. */
function rangesOf(header: string): Map<string, Range> {
  const ranges = new Map<string, Range>()
  parseAccept(header).forEach(({ type, q }, place) => {
    const name = type.toLowerCase()
    if (MEDIA_RANGE.test(name) && !ranges.has(name)) ranges.set(name, { q, place })
  })
  return ranges
}

/** The most precise range that a type falls into. */
function rangeFor(mediaType: string, ranges: ReadonlyMap<string, Range>) {
  const forms = [ANY, `${mediaType.slice(0, mediaType.indexOf('/'))}/*`, mediaType]
  const precision = forms.findLastIndex((form) => ranges.has(form))
  return precision < 0 ? undefined : { precision, range: ranges.get(forms[precision]!)! }
}

type Liked = NonNullable<ReturnType<typeof rangeFor>>

function isBetter(one: Liked, other: Liked): boolean {
  if (one.range.q !== other.range.q) return one.range.q > other.range.q
  if (one.precision !== other.precision) return one.precision > other.precision
  return one.range.place < other.range.place
}
