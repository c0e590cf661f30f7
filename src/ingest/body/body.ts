/** Parses whole request bodies into batches and rejects. Synchronous, without clock or threads. */

import { LogweirError } from '../../base/errors.js'
import { byteOrderMarkLength, isSpace } from '../../base/text/ascii.js'
import type { SourceRefusal } from '../../common/source-refusals.js'
import { nameOfSource } from '../../common/sources.js'
import { checkLines, MAX_LINE_BYTES } from '../lines/check-lines.js'
import { capacityFor } from '../lines/lines.js'
import { createRecordSink, type ParserOptions, type ParserSink } from '../lines/record-sink.js'
import type { Reason } from '../rejects.js'
import type { Body, BodyResult } from '../thread/messages.js'
import type { Module, SplitFault } from '../wasm/module.js'

/** The most records in a JSON body. */
export const MAX_RECORDS = 500_000
/** The most rejects listed in the result of a body. All rejects are counted and emitted. */
export const MAX_LISTED_REJECTS = 100

/** Parses bodies, a body at a time. */
export interface BodyParser {
  /**
   * Parses the records of a body, received at `nowUs`. Throws `invalid_body` if the body cannot be split into records,
   * or if a value of a body of the form `json` is not JSON. Throws `body_too_large` above {@link MAX_RECORDS} records.
   * After an error no record is accepted.
   */
  parse(body: Body, nowUs: number): BodyResult
  /** Emits the batches that are not full. */
  flush(): void
  /** To be called at intervals. Frees memory that only many or large bodies need, after a while without such bodies. */
  releaseIdle(): void
  /** Returns true if there is such memory to free. */
  holdsLargeMemory(): boolean
}

/** Creates a parser of bodies. Throws if `ingest.wasm` was not built. */
export function createBodyParser(options: ParserOptions, sink: ParserSink): BodyParser {
  const maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES
  const capacityBytes = capacityFor(maxLineBytes)
  let outcome = emptyResult()
  const passOn = passTrimmed(sink)
  const recordSink = createRecordSink(options, capacityBytes, {
    ...sink,
    reject(line, reason, bytes, start, end) {
      countReject(outcome, line, reason)
      passOn(line, reason, bytes, start, end)
    },
    refuseSource: (cause) => noteRefusal(outcome, cause),
  })

  /** Returns a module with room for this many bytes. */
  function moduleFor(bytes: number) {
    if (bytes <= recordSink.module().bytes.length) return recordSink.module()
    recordSink.flush()
    return recordSink.replaceModule(2 ** Math.ceil(Math.log2(bytes)))
  }

  /** Copies a body into a module, after `free` bytes. */
  function load({ bytes, defaults }: Body, free = 0): Module {
    const module = moduleFor(free + bytes.length)
    const { source, project, fieldNames } = defaults
    recordSink.setDefaults({ source: source && nameOfSource(source), project, fieldNames })
    module.setAllowedProjects(defaults.projects)
    module.bytes.set(bytes, free)
    return module
  }

  function parse(body: Body, nowUs: number): BodyResult {
    const { start, end, records } = body.form === 'json' ? linesOfJson(body, load) : linesOfNdjson(body, load)
    outcome = emptyResult()
    if (records === 0) return outcome
    const before = recordSink.rows()
    recordSink.setReceipt(nowUs, body.defaults.token)
    checkLines(recordSink.module(), start, end, 0, maxLineBytes, recordSink)
    outcome.taken = recordSink.rows() - before
    return outcome
  }

  function releaseIdle(): void {
    if (!recordSink.tick()) return
    recordSink.flush()
    recordSink.replaceModule(capacityBytes)
  }

  return { parse, flush: recordSink.flush, releaseIdle, holdsLargeMemory: recordSink.holdsLargeMemory }
}

/** The lines of a body, [start, end) of the module's bytes. */
interface Lines {
  start: number
  end: number
  /** Undefined if the records were not counted. */
  records?: number
}

/** Copies a body into a module, after `free` unused bytes. A second call replaces the bytes of the first. */
type Load = (body: Body, free?: number) => Module

/** Splits a JSON body into lines. Throws the errors of {@link BodyParser.parse}. */
function linesOfJson(body: Body, load: Load): Lines {
  const mark = byteOrderMarkLength(body.bytes)
  const split = load(body).splitJson(mark, body.bytes.length, MAX_RECORDS)
  if (!('fault' in split)) return split
  if (split.fault !== 'more_objects') throw faultError(split)
  const free = Math.min(MAX_RECORDS, mostObjects(body.bytes))
  const module = load(body, free)
  const objects = module.splitObjects(free + mark, free + body.bytes.length, MAX_RECORDS)
  if (!('fault' in objects)) return objects
  throw faultError(objects.fault === 'damaged' ? objects : { ...objects, at: objects.at - free })
}

/** Returns the lines of an NDJSON body. Lines with several objects are split. */
function linesOfNdjson(body: Body, load: Load): Lines {
  const start = byteOrderMarkLength(body.bytes)
  if (!load(body).hasAdjacentObjects(start, body.bytes.length)) return { start, end: body.bytes.length }
  const free = mostObjects(body.bytes)
  return load(body, free).splitLines(free + start, free + body.bytes.length)
}

/** The most objects in a body, plus 1: the shortest object is `{}`. */
const mostObjects = ({ length }: Uint8Array): number => (length >> 1) + 1

const emptyResult = (): BodyResult => ({ taken: 0, rejected: 0, byReason: {}, rejects: [] })

function countReject(outcome: BodyResult, line: number, reason: Reason): void {
  outcome.rejected++
  outcome.byReason[reason] = (outcome.byReason[reason] ?? 0) + 1
  if (outcome.rejects.length < MAX_LISTED_REJECTS) outcome.rejects.push({ record: line, reason })
}

function noteRefusal(outcome: BodyResult, cause: SourceRefusal): void {
  outcome.refusedSources ??= []
  if (!outcome.refusedSources.includes(cause)) outcome.refusedSources.push(cause)
}

/** Returns a receiver of rejects that trims white space at both ends and passes the rejects on. */
const passTrimmed =
  (sink: ParserSink): ParserSink['reject'] =>
  (line, reason, bytes, start, end) => {
    let first = start
    let after = end
    while (first < after && isSpace(bytes[first])) first++
    while (after > first && isSpace(bytes[after - 1])) after--
    sink.reject(line, reason, bytes, first, after)
  }

function faultError({ fault, at }: SplitFault): LogweirError {
  if (fault === 'too_many') {
    return new LogweirError(
      'body_too_large',
      `The body holds over ${MAX_RECORDS} records. Nothing of it was taken. Send smaller batches.`,
    )
  }
  if (fault === 'damaged' && at > 0) return invalidBody(`number ${at} of the records in it is damaged`)
  return invalidBody(FAULTS[fault].replace('BYTE', `byte ${at}`))
}

const invalidBody = (fault: string) =>
  new LogweirError('invalid_body', `The body is not valid JSON: ${fault}. Nothing of it was taken.`)

const FAULTS = {
  empty: 'it is empty',
  no_container: 'it is neither an object nor an array',
  cut_off: 'it ends in the middle of a value',
  no_element: 'at BYTE an element of the array is missing',
  no_comma: 'at BYTE a comma is missing between two elements of the array',
  not_the_end: 'something other than an object follows its end, at BYTE',
  more_objects: 'something follows its end, at BYTE',
  damaged: 'something before or after its batch is damaged',
}
