import { describe, expect, it } from 'vitest'
import { mentions } from '../../../src/base/text/mentions.js'
import { below, mulberry32, oneOf } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'

const NAMES = ['shop', 'a b', 'café "x"', 'back\\slash', '😀', '/path/', "o'hara", '\n', 'AAAA']

/** JSON with each character as an escape, as some clients send it. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i).toString(16).padStart(4, '0'))
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`
}

describe('a text that has a name', () => {
  it.each(NAMES)('%j is found in each form', (name) => {
    const record = JSON.stringify({ project: name })
    expect(mentions(name, name)).toBe(true)
    expect(mentions(record.slice(0, -1), name)).toBe(true)
    expect(mentions(`{"project":${escaped(name)}`, name)).toBe(true)
    expect(mentions(JSON.stringify({ event_message: record }), name)).toBe(true)
    expect(mentions(JSON.stringify({ record: escaped(name) }), name)).toBe(true)
    expect(mentions(record.replaceAll('/', '\\/'), name)).toBe(true)
  })

  it(`is found in base64 at any place, seed ${testSeed()}`, () => {
    const random = mulberry32(testSeed())
    for (let run = 0; run < 500; run++) {
      const name = oneOf(random, NAMES)
      const around = () => Buffer.from(Array.from({ length: below(random, 9) }, () => below(random, 256)))
      const record = Buffer.concat([around(), Buffer.from(`\u0012${name}`), around()]).toString('base64')
      const text = JSON.stringify({ metadata: 'invalid_field', record })
      expect([text, mentions(text, name)]).toEqual([text, true])
    }
  })

  it('is not found in the names of others', () => {
    for (const text of ['{"project":"sho p"}', 'SHOP', '{"project":"s\\u0069op', '', 'c2hvc2hvc2hv'])
      expect([text, mentions(text, 'shop')]).toEqual([text, false])
  })
})
