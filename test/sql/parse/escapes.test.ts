import { expect, it } from 'vitest'
import { decodeEscapes } from '../../../src/sql/parse/escapes.js'

it.each([
  ['plain', 'plain'],
  ['\\n\\t\\r', '\n\t\r'],
  ['\\a\\b\\f\\v', '\x07\b\f\v'],
  ['\\\\', '\\'],
  ['\\\\n', '\\n'],
  ['\\\\\\n', '\\\n'],
  ['\\"\\\'\\`\\?', '"\'`?'],
  ['\\x41\\X42', 'AB'],
  ['\\x4', '\\x4'],
  ['\\u00e9\\u20AC', 'é€'],
  ['\\u12', '\\u12'],
  ['\\U0001f600', '😀'],
  ['\\U00110000', '\\U00110000'],
  ['\\101\\000', 'A\0'],
  ['\\377', 'ÿ'],
  ['\\400', '\\400'],
  ['\\d+\\.\\w\\s\\%\\_', '\\d+\\.\\w\\s\\%\\_'],
  ['a\\', 'a\\'],
  ['\\\n', '\\\n'],
  ['\\😀', '\\😀'],
  ['\\__proto__\\constructor', '\\__proto__\\constructor'],
])('decodes %j', (quoted, decoded) => {
  expect(decodeEscapes(quoted)).toBe(decoded)
})
