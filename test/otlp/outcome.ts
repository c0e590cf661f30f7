/** What becomes of the records of a request, in words that a table can hold. */
import { LogweirError } from '../../src/base/errors.js'
import { LINES_LIMITS } from '../../src/otlp/lines.js'
import { type Encoding, translate } from '../../src/otlp/translate.js'

/** One line a record, in order: its NDJSON, or `rejected: …`; `refused: …` if the request was not accepted at all. */
export function outcomeOf(bytes: Uint8Array, encoding: Encoding): string[] {
  try {
    const text = Buffer.from(translate(bytes, encoding, LINES_LIMITS)).toString()
    return text.split('\n').slice(0, -1).map(outcomeOfLine)
  } catch (error) {
    if (!(error instanceof LogweirError)) throw error
    return [`refused: ${/(?:JSON|protobuf): (.*?)\. Nothing of it/.exec(error.message)?.[1] ?? error.message}`]
  }
}

/** A line whose metadata is a text is rejected by the ingest as `invalid_field`; the text says why. */
function outcomeOfLine(line: string): string {
  const { metadata } = JSON.parse(line)
  return typeof metadata === 'string' ? `rejected: ${/OTLP: (.*)\.$/.exec(metadata)![1]}` : line
}
