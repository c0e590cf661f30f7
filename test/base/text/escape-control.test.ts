import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeControl, escapeControlInDocument } from '../../../src/base/text/escape-control.js'
import { isReadRight } from '../../support/json.js'

/** An oracle: characters by number instead of by class. */
function isDriving(code: number): boolean {
  const isBidi = code === 0x61c || code === 0x200e || code === 0x200f || (code >= 0x202a && code <= 0x202e)
  return code < 32 || (code >= 0x7f && code <= 0x9f) || isBidi || (code >= 0x2066 && code <= 0x2069)
}

const drivers = Array.from({ length: 0x2100 }, (_, code) => code).filter(isDriving)
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...drivers).map((code) => String.fromCharCode(code)),
    ),
  )
  .map((parts) => parts.join(''))
const isEscaped = (shown: string) => [...shown].every((character) => !isDriving(character.codePointAt(0)!))

describe('escapeControl', () => {
  it('leaves nothing that drives a terminal', () => {
    expect(drivers.length).toBe(32 + 33 + 3 + 5 + 4)
    for (const code of drivers) expect(isEscaped(escapeControl(`a${String.fromCharCode(code)}b`))).toBe(true)
    fc.assert(fc.property(text, (given) => isEscaped(escapeControl(given))))
  })

  it('shows what was there, and leaves all else as it is', () => {
    expect(escapeControl('\u001b[2J\u0007 a\tb\r\n\u009bm \u202eevil "\\n" äö 漢 🙂')).toBe(
      '\\u001b[2J\\u0007 a\\tb\\r\\n\\u009bm \\u202eevil "\\n" äö 漢 🙂',
    )
  })
})

describe('escapeControlInDocument', () => {
  it('keeps lines and tabs', () => {
    expect(escapeControlInDocument('a\tb\r\nc\u001b[1m\n')).toBe('a\tb\nc\\u001b[1m\n')
  })

  it('leaves JSON the JSON that it is', () => {
    fc.assert(
      fc.property(fc.array(text), fc.string().filter(isReadRight), text, (value, name, key) => {
        const json = JSON.stringify({ [`k${key}`]: value, [name]: key })
        const shown = escapeControlInDocument(json)
        expect(isEscaped(shown)).toBe(true)
        expect(JSON.parse(shown)).toEqual(JSON.parse(json))
      }),
    )
  })
})
