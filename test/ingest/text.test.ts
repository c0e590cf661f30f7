import fc from 'fast-check'
import { expect, it } from 'vitest'
import { unescapeText } from '../../src/ingest/text.js'

function decode(content: string) {
  const bytes = Buffer.from(content)
  const target = new Uint8Array(bytes.length + 3)
  const behind = unescapeText(bytes, 0, bytes.length, target, 3)
  expect(behind < 0 ? ~behind : behind).toBeLessThanOrEqual(target.length)
  return { text: Buffer.from(target.subarray(3, behind < 0 ? ~behind : behind)).toString(), wellFormed: behind >= 0 }
}

/** What JSON.parse makes of it. */
function reference(content: string) {
  const text: string = JSON.parse(`"${content}"`)
  const replaced = Buffer.from(text).toString()
  return { text: replaced, wellFormed: replaced === text }
}

it.each([
  '',
  'plain é € 😀',
  '\\"\\\\\\/\\b\\f\\n\\r\\t',
  '\\u0000\\u007f\\u0080\\u07ff\\u0800\\uFFFF\\ud83d\\uDE00',
  '\\ud800',
  '\\ud800x',
  '\\ud800\\n',
  '\\ud800\\ud800\\udc00',
  '\\udc00\\ud800',
  '\\udbff\\udfff\\ud800\\udc00',
  '\\ud800\\u0041',
  'x\\ud83d',
  '\\\\ud800',
])('decodes %s', (content) => expect(decode(content)).toEqual(reference(content)))

it('decodes what JSON.parse decodes', () => {
  const unit = fc.oneof(
    fc.constantFrom('\\n', '\\\\', '\\"', '\\ud83d', '\\ude00', '\\uD800', '\\udfff', 'a', 'é', '😀'),
    fc.nat(0xffff).map((code) => `\\u${code.toString(16).padStart(4, '0')}`),
  )
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
      expect(decode(units.join(''))).toEqual(reference(units.join('')))
    }),
    { numRuns: 1000 },
  )
})
