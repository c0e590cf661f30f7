import { describe, expect, it } from 'vitest'
import { firstEnd, maskedParts, places } from '../../../src/page/record/marks.js'

const found = (text: string, ...words: string[]) =>
  places(text, words)
    .map(([part, isFound]) => (isFound ? `[${part}]` : part))
    .join('')

describe('what a search found', () => {
  it.each([
    ['Needle in hay, NEEDLE', ['needle'], '[Needle] in hay, [NEEDLE]'],
    ['no', ['needle'], 'no'],
    ['a.b axb', ['a.b'], '[a.b] axb'],
    ['(a)+[b]-{c}|\\d/^$?*', ['(a)+[b]-{c}|\\d/^$?*'], '[(a)+[b]-{c}|\\d/^$?*]'],
    ['GET /rest', ['rest', 'get'], '[GET] /[rest]'],
    ['logins login', ['login', 'logins'], '[logins] [login]'],
    // The text gets longer in lower case.
    ['İİ straße ÄB', ['äb'], 'İİ straße [ÄB]'],
    ['👍ok👍', ['OK'], '👍[ok]👍'],
    ['aaa', ['aa'], '[aa]a'],
    ['text', [], 'text'],
    ['text', [''], 'text'],
    ['', ['a'], ''],
  ])('%s: %j', (text, words, expected) => {
    expect(found(text, ...words)).toBe(expected)
    expect(
      places(text, words)
        .map(([part]) => part)
        .join(''),
    ).toBe(text)
  })

  it('begins somewhere', () => {
    expect(firstEnd('some Needle, needle', ['needle'])).toBe(11)
    expect(firstEnd('hay', ['needle'])).toBe(0)
    expect(firstEnd('hay', [])).toBe(0)
  })
})

describe('values that were masked on arrival', () => {
  it.each([
    ['***', '[***]'],
    ['card ***1111 of hash:0123456789abcdef.', 'card [***1111] of [hash:0123456789abcdef].'],
    ['/?apikey=***&y=1', '/?apikey=[***]&y=1'],
    ['***12345 hash:0123', '[***]12345 hash:0123'],
    ['2 ** 3', '2 ** 3'],
    ['', ''],
  ])('are found in %j', (text, expected) => {
    const shown = maskedParts(text).map(([part, isMasked]) => (isMasked ? `[${part}]` : part))
    expect(shown.join('')).toBe(expected)
  })
})
