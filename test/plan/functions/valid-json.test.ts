import { describe, expect, it } from 'vitest'
import { isJson } from '../../../src/plan/functions/valid-json.js'
import { ADVERSARIAL_JSON, ADVERSARIAL_TEXTS } from '../../support/adversarial.js'
import { below, mulberry32, oneOf, type Random } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'

const TEXTS = runs(1_000_000)
const PIECES = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    ' ',
    '\n',
    '\t',
    '\r',
    '\v',
    '\u00a0',
    '\ufeff',
    '\u0000',
    '\u001f',
    '\u007f',
    '\ud800',
  ],
  ...[
    'true',
    'false',
    'null',
    'nul',
    'True',
    '0',
    '1',
    '-',
    '+',
    '.',
    'e',
    'E',
    '00',
    '1.5',
    '-0',
    '1e5',
    '1E+5',
    '1e-',
    '.5',
    '5.',
  ],
  ...[
    '"a"',
    '""',
    '"\\n"',
    '"\\u00e9"',
    '"\\u12"',
    '"\\x"',
    '"a":1',
    '"a" : [',
    '{}',
    '[]',
    '[1,2]',
    '{"a":{}}',
    "'a'",
    '//',
    '/**/',
  ],
]

/** A random value as JSON, with random white space. */
function valid(random: Random, levels: number): string {
  const space = oneOf(random, ['', '', ' ', '\n\t'])
  const items = Array.from({ length: levels > 0 ? below(random, 4) : 0 }, () => valid(random, levels - 1))
  const pick = below(random, 4)
  if (pick === 0) return `[${space}${items.join(`${space},`)}${space}]${space}`
  if (pick === 1) return `{${space}${items.map((item) => `"k\\n"${space}:${space}${item}`).join(',')}}`
  return `${space}${oneOf(random, ['1', '-0.5e+7', '"é\\u0000\\""', 'true', 'false', 'null', '""'])}${space}`
}

function changed(text: string, random: Random): string {
  const at = below(random, text.length + 1)
  return text.slice(0, at) + oneOf(random, PIECES) + text.slice(at + below(random, 3))
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('a text', () => {
  it('is JSON if JSON.parse reads it, whatever it is', () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    let parsed = 0
    for (let i = 0; i < TEXTS; i++) {
      let text = i % 3 === 0 ? '' : valid(random, 3)
      for (let left = i % 2 === 0 ? below(random, 4) : 0; left > 0; left--) text = changed(text, random)
      const expected = isParsed(text)
      if (expected) parsed++
      if (isJson(text) !== expected) throw new Error(`seed ${seed}: ${JSON.stringify(text)} is ${expected}`)
    }
    expect(parsed).toBeGreaterThan(TEXTS / 5)
    expect(parsed).toBeLessThan(TEXTS * 0.9)
  })

  for (const [name, make] of Object.entries(ADVERSARIAL_TEXTS)) {
    it(`is JSON or not: ${name}`, () => {
      for (const length of [64, 1_000, 100_000]) {
        const text = make(length)
        expect(isJson(text)).toBe(isParsed(text))
        if (name in ADVERSARIAL_JSON) expect(isJson(text)).toBe(true)
        expect(isJson(`${text}]`)).toBe(false)
        expect(isJson(text.slice(1))).toBe(isParsed(text.slice(1)))
      }
    })
  }
})
