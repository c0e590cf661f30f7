import { describe, expect, it } from 'vitest'
import { foldCase } from '../../src/base/fold-case.js'

const NFKC = (text: string) => text.normalize('NFKC').toLowerCase()

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

  it('sorts the combining marks of up to 64, and leaves longer runs as they are', () => {
    const marks = '\u0301\u0327'.repeat(32)
    expect(foldCase(`A${marks}B`)).toBe(NFKC(`A${marks}B`))
    expect(foldCase(`A${marks}\u0301B${marks}`)).toBe(`a${marks}\u0301b${marks.normalize('NFKC')}`)
  })
})
