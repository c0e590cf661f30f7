import { describe, expect, it } from 'vitest'
import { SHORT_LENGTH, searchFor, searchForBytes, splitAt } from '../../../src/base/text/text-search.js'
import { mulberry32 } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'

const seed = testSeed()

/** A text of few letters with repetitions: some parts occur at many places, almost or whole. */
function randomText(random: () => number, letters: readonly string[], length: number): string {
  let text = ''
  while (text.length < length) {
    const repeated = text !== '' && random() < 0.5
    const at = Math.floor(random() * text.length)
    text += repeated
      ? text.slice(at, at + 1 + Math.floor(random() * 90))
      : letters[Math.floor(random() * letters.length)]!
  }
  return text
}

describe('a search for a part of a text', () => {
  it(`finds every place that the runtime's own search finds, seed ${seed}`, () => {
    const random = mulberry32(seed)
    let found = 0
    for (let run = 0; run < runs(20_000); run++) {
      const letters = [['a'], ['a', 'b'], ['a', 'b', 'é', '😀'], ['x', '\ud83d', '\0']][run % 4]!
      const text = randomText(random, letters, Math.floor(random() * 600))
      const length = 1 + Math.floor(random() * 3 * SHORT_LENGTH)
      const at = Math.floor(random() * text.length)
      const part = random() < 0.7 && text.length > 0 ? text.slice(at, at + length) : randomText(random, letters, length)
      const expected = text.split(part)
      expect(splitAt(part, text), JSON.stringify({ part, text, seed })).toEqual(expected)
      found += part.length > SHORT_LENGTH ? expected.length - 1 : 0
      if (!part.isWellFormed() || !text.isWellFormed()) continue
      const [bytes, partBytes] = [Buffer.from(text), Buffer.from(part)]
      const from = Math.floor(random() * bytes.length)
      expect(searchForBytes(partBytes)(bytes, from), JSON.stringify({ part, text, from, seed })).toBe(
        bytes.indexOf(partBytes, from),
      )
    }
    expect(found).toBeGreaterThan(runs(20_000) / 4)
  })

  it('searches several texts one after the other, from any place', () => {
    const part = 'ab'.repeat(40)
    const search = searchFor(part)
    expect([search(`x${part}`, 0), search(`xy${part}${part}`, 3), search('', 0), search(`x${part}`, 2)]).toEqual([
      1, 4, -1, -1,
    ])
  })
})
