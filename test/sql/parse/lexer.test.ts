import { describe, expect, it } from 'vitest'
import { tokensOf } from '../../../src/sql/parse/lexer.js'
import { SQL_LIMITS } from '../../../src/sql/parse/limits.js'

/** The tokens of a text but the last, as `kind text`. */
const tokens = (text: string) =>
  tokensOf(text, SQL_LIMITS)
    .slice(0, -1)
    .map((token) => `${token.kind} ${token.text}`)

const CASES: readonly (readonly [text: string, tokens: readonly string[]])[] = [
  ['', []],
  ['  \n\t\u00a0', []],
  ['Select', ['word select']],
  ['a_1 _b', ['word a_1', 'word _b']],
  ['a.b', ['word a', 'symbol .', 'word b']],
  ['1.5', ['number 1.5']],
  ['.5', ['number .5']],
  ['a.5', ['word a', 'number .5']],
  ['1e-3+2', ['number 1e-3', 'symbol +', 'number 2']],
  ['0xfF', ['number 0xfF']],
  ['1-2', ['number 1', 'symbol -', 'number 2']],
  ['a--b\n-c', ['word a', 'symbol -', 'word c']],
  ['a-#b\nc', ['word a', 'symbol -', 'word c']],
  ['a/**/b/* -- */c', ['word a', 'word b', 'word c']],
  ['a /* \n */ b', ['word a', 'word b']],
  ["''", ['text ']],
  ["'a''b'", ["text a'b"]],
  [`"a""b"`, ['text a"b']],
  ["'a' 'b'", ['text a', 'text b']],
  ["'a\\'b'", ["text a'b"]],
  ["'a\\\\'", ['text a\\']],
  ["r'a\\'b'", ["text a\\'b"]],
  ["R'\\n'", ['text \\n']],
  ["'a\nb'", ['text a\nb']],
  ['`a b`', ['quoted a b']],
  ['`a\\`b`', ['quoted a`b']],
  ['@project=@_x1', ['parameter project', 'symbol =', 'parameter _x1']],
  [
    'a<=b<>c!=d>=e',
    ['word a', 'symbol <=', 'word b', 'symbol <>', 'word c', 'symbol !=', 'word d', 'symbol >=', 'word e'],
  ],
  ['a::b||c', ['word a', 'symbol ::', 'word b', 'symbol ||', 'word c']],
  ['a->>b->c', ['word a', 'symbol ->>', 'word b', 'symbol ->', 'word c']],
  ['count(*);', ['word count', 'symbol (', 'symbol *', 'symbol )', 'symbol ;']],
]

describe('tokens', () => {
  it.each(CASES)('of %j', (text, expected) => {
    expect(tokens(text)).toEqual(expected)
  })

  it('have their offsets in UTF-16 units, and words as they are spelled', () => {
    expect(tokensOf("  SeLect '😀' `x`", SQL_LIMITS)).toEqual([
      { kind: 'word', at: 2, text: 'select', spelled: 'SeLect' },
      { kind: 'text', at: 9, text: '😀', spelled: '😀' },
      { kind: 'quoted', at: 14, text: 'x', spelled: 'x' },
      { kind: 'end', at: 17, text: '', spelled: 'the end of the text' },
    ])
  })

  it('of a text beyond its limit are refused, counted in bytes', () => {
    const limits = { ...SQL_LIMITS, textBytes: 4 }
    expect(tokensOf('abcd', limits)).toHaveLength(2)
    expect(() => tokensOf('a😀', limits)).toThrow('The text is longer than 4 bytes.')
  })

  it('of quotes and comments without an end are found in linear time', () => {
    const quotes = "'".repeat(20_001)
    const startMs = performance.now()
    expect(() => tokensOf(quotes, SQL_LIMITS)).toThrow("This text has no end: the closing ' is missing.")
    expect(() => tokensOf('/*'.repeat(20_000), SQL_LIMITS)).toThrow('This comment has no end: write */.')
    expect(performance.now() - startMs).toBeLessThan(1000)
  })
})
