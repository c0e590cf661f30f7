/** Outcomes of translating a request, as texts that a table of test cases can contain. */
import { LogweirError } from '../../src/base/errors.js'
import { LINES_LIMITS } from '../../src/otlp/lines.js'
import { type Encoding, translate } from '../../src/otlp/translate.js'

/** Returns per record, in order, the line or `rejected: …`. Only `refused: …` if the whole request was refused. */
export function outcomeOf(bytes: Uint8Array, encoding: Encoding): string[] {
  try {
    const text = Buffer.from(translate(bytes, encoding, LINES_LIMITS)).toString()
    return text.split('\n').slice(0, -1).map(outcomeOfLine)
  } catch (error) {
    if (!(error instanceof LogweirError)) throw error
    return [`refused: ${/(?:JSON|protobuf): (.*?)\. Nothing of it/.exec(error.message)?.[1] ?? error.message}`]
  }
}

/** If the metadata of a line is a text, the ingest rejects the line as `invalid_field`. The text is the reason. */
function outcomeOfLine(line: string): string {
  const { metadata } = JSON.parse(line)
  return typeof metadata === 'string' ? `rejected: ${/OTLP: (.*)\.$/.exec(metadata)![1]}` : line
}
