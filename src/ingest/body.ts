/** Whole bodies of requests in, batches and rejects out; synchronous, without clock or threads. */
import { LogweirError } from '../base/errors.js'
import type { FieldNames } from '../field-names.js'
import { findSource } from '../sources.js'
import { byteOrderMark, isSpace } from './bytes.js'
import { judgeLines } from './judge.js'
import { capacityFor } from './lines.js'
import type { CutFault } from './module.js'
import type { Reason, Reject } from './rejects.js'
import { createTaker, MAX_LINE_BYTES, type ParserOptions, type ParserSink } from './taker.js'

/**
 * `json`: one record, an array of them, or an object with such an array under `batch`, whose other members are not looked
 * at. `ndjson`: one record a line.
 */
export type BodyForm = 'json' | 'ndjson'

/** What the records of a stream get that lack it. */
export interface StreamDefaults {
  /** Name or alias. */
  source?: string
  /** A record has a project if any of the places that are read holds one. */
  project?: string
  /** Which fields hold time and message, if not those of DEFAULT_FIELD_NAMES. */
  fieldNames?: FieldNames
}

export interface Defaults extends StreamDefaults {
  /** Not a default: the projects whose records are taken; absent: all. */
  projects?: ReadonlySet<string>
}

export interface Body {
  bytes: Uint8Array
  form: BodyForm
  defaults: Defaults
}

/** What became of the records of one body. */
export interface Taken {
  taken: number
  rejected: number
  byReason: Partial<Record<Reason, number>>
  /** The first that were rejected, by their number in the body, from 1: of NDJSON its line. */
  rejects: { record: number; reason: Reason }[]
}

/** A JSON body holds so many records at most. */
export const MAX_RECORDS = 500_000
/** Of each body so many rejects are told of; all of them are counted, and handed out. */
export const TOLD_REJECTS = 100

export interface BodyParser {
  /**
   * Takes the records of a body, received at `nowUs`, of which none waits for another body. Throws `invalid_body` where the ends of the records cannot be told and `body_too_large`
   * where there are more than {@link MAX_RECORDS}, and has taken none then.
   */
  take(body: Body, nowUs: number): Taken
  /** Hands out the rows that wait for a batch to fill. */
  flush(): void
  /** To be called at intervals: lets go of memory that only many or large bodies need, where none has come for a while. */
  rest(): void
  /** Whether such memory is held. */
  holdsMuch(): boolean
}

export function createBodyParser(options: ParserOptions, sink: ParserSink): BodyParser {
  const maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES
  const capacityBytes = capacityFor(maxLineBytes)
  let outcome = nothingTaken()
  const taker = createTaker(options, capacityBytes, {
    ...sink,
    reject(reject) {
      countReject(outcome, reject)
      sink.reject({ ...reject, bytes: trimmed(reject.bytes) })
    },
  })

  /** A module with room for so many bytes. */
  function moduleFor(bytes: number) {
    if (bytes <= taker.module().bytes.length) return taker.module()
    taker.flush()
    return taker.renew(2 ** Math.ceil(Math.log2(bytes)))
  }

  function take({ bytes, form, defaults }: Body, nowUs: number): Taken {
    const module = moduleFor(bytes.length)
    const source = defaults.source === undefined ? undefined : findSource(defaults.source)
    module.setDefaults({ source, project: defaults.project, fieldNames: defaults.fieldNames })
    module.bind(defaults.projects)
    module.bytes.set(bytes)
    let [start, end] = [byteOrderMark(bytes), bytes.length]
    if (form === 'json') {
      const cut = module.cut(start, end, MAX_RECORDS)
      if ('fault' in cut) throw faultError(cut)
      if (cut.records === 0) return nothingTaken()
      ;({ start, end } = cut)
    }
    outcome = nothingTaken()
    const before = taker.rows()
    taker.receivedAt(nowUs)
    judgeLines(module, start, end, 0, maxLineBytes, taker)
    outcome.taken = taker.rows() - before
    return outcome
  }

  function rest(): void {
    if (!taker.tick()) return
    taker.flush()
    taker.renew(capacityBytes)
  }

  return { take, flush: taker.flush, rest, holdsMuch: taker.holdsMuch }
}

const nothingTaken = (): Taken => ({ taken: 0, rejected: 0, byReason: {}, rejects: [] })

function countReject(outcome: Taken, { line, reason }: Reject): void {
  outcome.rejected++
  outcome.byReason[reason] = (outcome.byReason[reason] ?? 0) + 1
  if (outcome.rejects.length < TOLD_REJECTS) outcome.rejects.push({ record: line, reason })
}

/** Without the white space around it. */
function trimmed(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => !isSpace(byte))
  return start < 0 ? bytes : bytes.subarray(start, bytes.findLastIndex((byte) => !isSpace(byte)) + 1)
}

function faultError({ fault, at }: CutFault): LogweirError {
  if (fault === 'too_many') {
    return new LogweirError(
      'body_too_large',
      `The body holds over ${MAX_RECORDS} records. Nothing of it was taken. Send smaller batches.`,
    )
  }
  const what = FAULTS[fault].replace('BYTE', `byte ${at}`)
  return new LogweirError('invalid_body', `The body is not valid JSON: ${what}. Nothing of it was taken.`)
}

const FAULTS = {
  empty: 'it is empty',
  no_container: 'it is neither an object nor an array',
  cut_off: 'it ends in the middle of a value',
  no_element: 'at BYTE an element of the array is missing',
  no_comma: 'at BYTE a comma is missing between two elements of the array',
  not_the_end: 'something stands behind its end, at BYTE. One record a line is application/x-ndjson',
}
