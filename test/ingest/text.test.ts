import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../support/runs.js'
import { parse } from './parsing.js'

/** Decodes the content of a string with JSON.parse, with lone surrogates replaced by U+FFFD. */
function expected(content: string) {
  const text: string = JSON.parse(`"${content}"`)
  const replaced = Buffer.from(text).toString()
  return { text: replaced, wellFormed: replaced === text }
}

/** Decodes the content with the module: in a field that replaces lone surrogates, and in a field that forbids them. */
function decoded(content: string) {
  const hot = `{"source":"edge_logs","metadata":{"request":{"url":"${content}"}}}`
  const cold = `{"source":"auth_logs","event_message":"${content}"}`
  const { rows, rejects } = parse(`${hot}\n${cold}`, { batchBytes: 1000, maxLineBytes: 1000 })
  expect([{ event_message: rows[0]!.url }, { reason: 'invalid_json' }]).toContainEqual(
    rejects.length > 0 ? { reason: rejects[0]!.reason } : { event_message: rows[1]!.event_message },
  )
  return { text: rows[0]!.url, wellFormed: rejects.length === 0 }
}

describe('I6: texts with escapes', () => {
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
  ])('%s', (content) => expect(decoded(content)).toEqual(expected(content)))

  it('are what JSON.parse decodes', () => {
    const unit = fc.oneof(
      fc.constantFrom('\\n', '\\\\', '\\"', '\\ud83d', '\\ude00', '\\uD800', '\\udfff', 'a', 'é', '😀'),
      fc.nat(0xffff).map((code) => `\\u${code.toString(16).padStart(4, '0')}`),
      fc.nat(40).map((length) => 'x'.repeat(length)),
    )
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
        expect(decoded(units.join(''))).toEqual(expected(units.join('')))
      }),
      { numRuns: runs(300) },
    )
  })

  it('lie end to end, whatever was written behind them before', () => {
    const contents = Array.from({ length: 200 }, (_, i) => `${'x'.repeat(i)}\\n${'y'.repeat(i % 23)}\\u00e9`)
    const lines = contents.map((content) => `{"source":"auth_logs","id":"${content}","event_message":"${content}z"}`)
    const texts = contents.map((content) => expected(content).text)
    expect(parse(lines.join('\n')).rows.map(({ id }) => id)).toEqual(texts)
    expect(parse(lines.join('\n')).rows.map(({ event_message }) => event_message)).toEqual(texts.map((t) => `${t}z`))
  })
})
