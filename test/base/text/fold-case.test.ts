import { describe, expect, it } from 'vitest'
import { splitAtLongRuns } from '../../../src/base/text/combining-marks.js'
import { foldCase, simpleFold } from '../../../src/base/text/fold-case.js'

const NFKC = (text: string) => text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ')

describe('the form in which texts are compared', () => {
  it.each([
    '',
    'GET /Rest',
    'ÀÉÎ',
    'e\u0301\u0327',
    'ﬁ ½ ① ㎏',
    'ÅÅ',
    '가각',
    '\u0344a\u0344',
    'क्षि',
    '😀\ufe0f',
  ])('%j is in normal form, and in lower case', (text) => {
    expect(foldCase(text)).toBe(NFKC(text))
    expect(foldCase(NFKC(text))).toBe(foldCase(text))
  })

  it('sorts the combining marks of up to 30, and leaves longer runs as they are', () => {
    const marks = '\u0301\u0327'.repeat(15)
    expect(foldCase(`A${marks}B`)).toBe(NFKC(`A${marks}B`))
    expect(foldCase(`A${marks}\u0301B${marks}`)).toBe(`a${marks}\u0301b${marks.normalize('NFKC')}`)
  })

  it('counts marks of two units as one, and finds runs at both ends of a text', () => {
    const wide = '\u{1d165}'
    expect(splitAtLongRuns(wide.repeat(31))).toEqual(['', wide.repeat(31), ''])
    expect(splitAtLongRuns(wide.repeat(30))).toEqual([wide.repeat(30)])
    const run = '\u0301'.repeat(31)
    expect(splitAtLongRuns(`${run}a${run}😀${run}`)).toEqual(['', run, 'a', run, '😀', run, ''])
    expect(splitAtLongRuns('')).toEqual([''])
    for (let start = 0; start < 70; start++) {
      const [before, behind] = ['日'.repeat(start), 'b'.repeat(start % 7)]
      expect(splitAtLongRuns(before + run + behind)).toEqual([before, run, behind])
    }
  })

  it('keeps the ligature of 18 characters as one', () => {
    expect(foldCase('a\ufdfaB')).toHaveLength(3)
    expect(foldCase('A\ufdfab')).toBe(foldCase('a\ufdfaB'))
    expect(foldCase('a\ufdfab')).not.toBe(foldCase('ab'))
  })

  it('gives a letter one form, whether or not a long run is elsewhere in the text', () => {
    for (const text of ['ΟΔΟΣ', 'ſ', 'İ', '5 µs']) {
      expect(foldCase(`${text} ${'\u0301'.repeat(31)}`).startsWith(`${foldCase(text)} `)).toBe(true)
    }
  })
})

describe('simple case folding', () => {
  it('gives every letter one form, which is equal to the letter in a pattern that ignores case', () => {
    const wrong: string[] = []
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const letter = String.fromCodePoint(code)
      const folded = simpleFold(letter)
      const upper = letter.toUpperCase()
      if (folded === letter && upper === letter && letter.toLowerCase() === letter) continue
      const isRound = simpleFold(folded) === folded
      const isSame = folded === letter || new RegExp(quote(letter), 'iu').test(folded)
      const isUpperSame = !new RegExp(`^${quote(letter)}$`, 'iu').test(upper) || simpleFold(upper) === folded
      if ([...folded].length !== 1 || !isRound || !isSame || !isUpperSame) wrong.push(letter)
    }
    expect(wrong).toEqual([])
  })

  it.each([
    ['ΤΑΣΗ ΔΙΚΤΥΟΥ ΟΔΟΣ', 'τασ', 'οδοσ'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφοσ', 'σίς'],
    ['ΟΔΟΣ-7', 'οδοσ-7', 'ΟΔΟς'],
    ['λόγος', 'ΛΌΓΟΣ', 'λόγοσ'],
    ['ΒΆΣΗ', 'βάς', 'ΆΣ'],
    ['İstanbul', 'İSTAN', 'stanbul'],
    ['ſtraße', 'STRA', 'ßE'],
    ['5 µs', 'ΜS', 'μs'],
    ['5 \u212a', 'k', 'K'],
  ])('%j contains %j and %j, whatever is next to a letter', (text, ...parts) => {
    for (const part of parts) expect(foldCase(text)).toContain(foldCase(part))
  })
})

const quote = (text: string) => text.replace(/[\\^$.|?*+()[\]{}/]/, '\\$&')
