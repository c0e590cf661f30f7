import { MIB } from '../../src/base/units.js'
import { ADVERSARIAL_JSON, ADVERSARIAL_TEXTS } from './adversarial.js'
import { NINE_AND_OWN } from './own-source.js'
import { below, oneOf, type Random } from './random.js'

/** The most bytes of a line, less some for the keys of a record. */
const LINE_BYTES = MIB - 1_000
const LEVELS = 120

const nest = (levels: number): unknown =>
  levels === 0 ? 'deep' : levels % 2 === 0 ? [nest(levels - 1)] : { a: nest(levels - 1) }

/** A text of any kind that is about as long as a line may be. */
function longText(random: Random): string {
  const name = oneOf(random, Object.keys(ADVERSARIAL_TEXTS))
  let text = ADVERSARIAL_TEXTS[name]!(2 ** (10 + below(random, 11))).toWellFormed()
  // Escapes in JSON and UTF-8 take more bytes than characters, perhaps most of them at the start of the text.
  for (let bytes = bytesOf(text); bytes > LINE_BYTES; bytes = bytesOf(text))
    text = text.slice(0, Math.floor((text.length * LINE_BYTES) / bytes)).toWellFormed()
  return text
}

const bytesOf = (text: string) => Buffer.byteLength(JSON.stringify(text))

/** Metadata that is deep, wide or long. */
function poisonedMetadata(random: Random): unknown {
  switch (below(random, 7)) {
    case 0:
      return { request: nest(LEVELS), a: nest(LEVELS) }
    case 1:
      return { list: Array.from({ length: 100_000 }, (_, i) => i % 10) }
    case 2:
      return { list: Array.from({ length: 20_000 }, (_, i) => ({ a: i, b: [`${i}`] })) }
    case 3:
      return Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key ${i}`, i]))
    case 4:
      return { request: [{ method: longText(random), path: '/a' }], level: longText(random).slice(0, 100) }
    case 5:
      return { response: [{ status_code: '9'.repeat(1_000), headers: [{}, {}] }], a: [[[]]], b: {} }
    default:
      return { a: JSON.parse(ADVERSARIAL_JSON['many keys']!(100_000)) }
  }
}

/** Returns the line of a record, perhaps of the own source, that is as long, deep or wide as records may be. */
export function poisonedLine(random: Random): string {
  const source = oneOf(random, NINE_AND_OWN)
  const isText = below(random, 2) === 0
  const record = {
    source,
    project: 'a',
    event_message: isText ? longText(random) : 'poisoned',
    ...(!isText && { metadata: poisonedMetadata(random) }),
  }
  return JSON.stringify(record)
}
