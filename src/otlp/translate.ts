import { LogweirError } from '../base/errors.js'
import { groupsOfJson } from './json.js'
import { type LinesLimits, linesOf } from './lines.js'
import { groupsOfProtobuf } from './protobuf.js'
import { Malformed } from './request.js'

/** How a request is encoded. */
export type Encoding = 'json' | 'protobuf'

const GROUPS = { json: groupsOfJson, protobuf: groupsOfProtobuf }

/** The records of an ExportLogsServiceRequest as NDJSON. Throws `invalid_body` and `body_too_large`. */
export function translate(bytes: Uint8Array, encoding: Encoding, limits: LinesLimits): Uint8Array<ArrayBuffer> {
  try {
    return linesOf(GROUPS[encoding](bytes), limits)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    const name = encoding === 'json' ? 'JSON' : 'protobuf'
    throw new LogweirError(
      'invalid_body',
      `The body is no OTLP request of logs in ${name}: ${error.message}. Nothing of it was taken. Send an ExportLogsServiceRequest.`,
    )
  }
}
