import { LogweirError } from '../base/errors.js'
import { readJson } from './json.js'
import { encodeLines, type LinesLimits, type SourceAttribute } from './lines.js'
import { readProtobuf } from './protobuf-messages.js'
import { MalformedError } from './request.js'

/** The encoding of a request's body. */
export type Encoding = 'json' | 'protobuf'

const READERS = { json: readJson, protobuf: readProtobuf }

/**
 * Translates an ExportLogsServiceRequest to NDJSON, a line per record. Throws `invalid_body` if the body is no such
 * request, and `body_too_large` if the body exceeds a limit.
 */
export function translate(
  bytes: Uint8Array,
  encoding: Encoding,
  limits: LinesLimits,
  source?: SourceAttribute,
): Uint8Array<ArrayBuffer> {
  try {
    return encodeLines(READERS[encoding](bytes), limits, source)
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    const name = encoding === 'json' ? 'JSON' : 'protobuf'
    throw new LogweirError(
      'invalid_body',
      `The body is not an OTLP request of logs in ${name}: ${error.message}. ` +
        'Nothing of it was taken. Send an ExportLogsServiceRequest.',
    )
  }
}
