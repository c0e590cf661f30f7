import { describe, expect, it } from 'vitest'
import { type BuiltIn, FINDERS } from '../../src/masking/finders/built-in.js'
import type { Finder } from '../../src/masking/finders/finder.js'
import { patternFinder } from '../../src/masking/finders/pattern.js'

const foundBy = ({ find }: Finder, text: string) => find(text).map(({ start, end }) => text.slice(start, end))

const HEADER = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9'
const JWT = `${HEADER}.eyJzdWIiOiIxIn0.c2lnbmF0dXJl`

const CASES: Readonly<Record<BuiltIn, readonly (readonly [text: string, ...found: string[]])[]>> = {
  email: [
    ['joe@example.com', 'joe@example.com'],
    ['login of joe.b+x@mail.example.co.uk failed', 'joe.b+x@mail.example.co.uk'],
    ['two: a@b.de, c@d.fr.', 'a@b.de', 'c@d.fr'],
    ['/verify?email=joe%40example.com&type=signup', 'joe%40example.com'],
    ['<joe@example.com>', 'joe@example.com'],
    ["o'brien@example.com", "o'brien@example.com"],
    ['müller@bücher.example', 'müller@bücher.example'],
    ['postgres://user@host/db'],
    ['@mention and @@ and a@ and @b.de'],
    ['user@localhost'],
    ['npm i @scope/pkg@1.2.3'],
    ['a@b@c.de', 'b@c.de'],
  ],
  jwt: [
    [JWT, JWT],
    [`token ${JWT}, next`, JWT],
    [`${HEADER}.eyJzdWIiOiIxIn0.`, `${HEADER}.eyJzdWIiOiIxIn0.`],
    [HEADER],
    ['heyJude.is.a.song'],
  ],
  bearer: [
    ['Authorization: Bearer abc123def', 'abc123def'],
    ['authorization: bearer "s3cr3t-value"', 's3cr3t-value'],
    ['authorization=Bearer%20abc123def', 'abc123def'],
    ['the bearer authentication failed'],
    ['a bearer of news'],
    ['Bearer'],
    ['bearer abcdefghijklmnopqrstuvwxyz', 'abcdefghijklmnopqrstuvwxyz'],
  ],
  'url-tokens': [
    ['/rest/v1/t?apikey=abc&select=*', 'abc'],
    ['/auth?access_token=abc.def-g&refresh_token=xyz#top', 'abc.def-g', 'xyz'],
    ['wss://h/socket?token=abc', 'abc'],
    ['?api_key=1&API-KEY=2&Token=3', '1', '2', '3'],
    ['next=%2Fcb%3Ftoken%3Dabc', 'abc'],
    ['?tokens=abc&key=1&token='],
  ],
  card: [
    ['4111111111111111', '4111111111111111'],
    ['card 4111 1111 1111 1111, paid', '4111 1111 1111 1111'],
    ['378282246310005 and 5555-5555-5555-4444', '378282246310005', '5555-5555-5555-4444'],
    ['2026-11-30 4111 1111 1111 1111 12', '4111 1111 1111 1111'],
    ['4111111111111112'],
    ['1764000000000000'],
    ['x4111111111111111'],
    ['4111111111111111000000'],
    ['550e8400-e29b-41d4-a716-446655440000'],
    ['0.4111111111111111'],
  ],
}

describe.each(Object.entries(CASES))('the built-in pattern %s', (name, cases) => {
  it.each(cases)('finds in %j', (text, ...found) => {
    expect(foundBy(FINDERS[name as BuiltIn], text)).toEqual(found)
  })

  it('searches no text without a byte or the digits that it needs', () => {
    const { characters, digits } = FINDERS[name as BuiltIn]
    for (const [text, ...found] of cases) {
      if (found.length === 0) continue
      if (characters !== undefined) expect([...text].some((one) => characters.includes(one))).toBe(true)
      expect(text.replaceAll(/\D/g, '').length).toBeGreaterThanOrEqual(digits)
    }
  })
})

describe('a pattern of the file', () => {
  it.each([
    ['\\d{3}-\\d{4}', 'call 555-1234 or 555-9876', '555-1234', '555-9876'],
    ['session=(\\w+)', 'a session=abc; session=; session=é x session=def', 'abc', 'def'],
    ['(?i)pin: (\\d+)', 'PIN: 12 ünd pin: 345', '12', '345'],
    ['(a)(b)', 'ab', 'a'],
    ['(?:x|y)=(\\S+)', 'x=1 y=2', '1', '2'],
    ['x*', 'axxb', 'xx'],
    ['😀(\\w)', '😀a é😀b', 'a', 'b'],
    ['(aa)a', 'aaa aaa', 'aa', 'aa'],
  ])('finds %s in %j', (pattern, text, ...found) => {
    expect(foundBy(patternFinder(pattern), text)).toEqual(found)
  })

  it.each(['a|(b)', '(?:(a))', 'a(?i)(b)', 'a(', '\\1'])('refuses %s', (pattern) => {
    expect(() => patternFinder(pattern)).toThrow(expect.objectContaining({ code: 'invalid_pattern' }))
  })

  it('masks the rest of a text in which the search would take long', () => {
    const text = 'a'.repeat(1_000_000)
    const parts = patternFinder('a.*z|a').find(text)
    expect(parts.at(-1)!.end).toBe(text.length)
    let end = 0
    for (const part of parts) {
      expect(part.start).toBe(end)
      end = part.end
    }
  })
})
