import { describe, expect, it } from 'vitest'
import { choosePaths } from '../../../../src/engine/store/path-columns/choose-paths.js'

const many = (make: (i: number) => unknown, count = 1_000) =>
  Array.from({ length: count }, (_, i) => JSON.stringify(make(i)))

/** The chosen paths: the values as `a.b`, the counts as `a.b[]`. */
const chosen = (texts: Iterable<string>) =>
  choosePaths(texts).map(({ keys, isCount }) => keys.join('.') + (isCount ? '[]' : ''))
const values = (texts: Iterable<string>) => chosen(texts).filter((name) => !name.endsWith('[]'))

describe('choosePaths', () => {
  it('takes values that repeat, and objects and lists, the paths of most rows first', () => {
    const texts = many((i) => ({
      status: i % 5,
      id: `id ${i}`,
      request: { method: ['GET', 'PUT'][i % 2], ...(i % 10 === 0 && { rare: true }) },
      tags: ['a', 'b'],
    }))
    expect(chosen(texts)).toEqual(['[]', 'status', 'request[]', 'request.method', 'tags[]', 'tags', 'request.rare'])
  })

  it('leads through the first element of a list if the element is an object', () => {
    const texts = many((i) => [{ a: [{ b: i % 3 }, { c: 1 }], d: [[{ e: 1 }]], f: [1, { g: 1 }] }])
    expect(values(texts).sort()).toEqual(['a.b', 'd', 'f'])
  })

  it.each([
    ['texts of 512 values', (i: number) => `v${i % 512}`, true],
    ['texts of 513 values', (i: number) => `v${i % 513}`, false],
    ['integers of two bytes', (i: number) => 65_535 - (i % 2_000), true],
    ['larger integers', (i: number) => 65_536 - (i % 2_000), false],
    ['numbers with fractions', (i: number) => (i % 2_000) / 8, false],
    ['many values of mixed kinds', (i: number) => (i % 2 === 0 ? i % 2_000 : `v${i % 2_000}`), false],
    ['few values of mixed kinds', (i: number) => [1, '1', true, null, 1.5, [1], 'true'][i % 7], true],
    ['values that occur once', (i: number) => `v${i}`, false],
    ['a long text', () => 'x'.repeat(1_025), false],
    ['null alone', () => null, false],
  ])('of %s: %s', (_, value, isChosen) => {
    expect(values(many((i) => ({ value: value(i) }), 8_000))).toEqual(isChosen ? ['value'] : [])
  })

  it('looks at no member of an object whose keys are ids', () => {
    const texts = many((i) => ({ byId: { [`id${i}`]: { n: 1 }, always: 2 }, other: { n: 1 } }))
    expect(chosen(texts)).toEqual(['[]', 'byId[]', 'other[]', 'other.n'])
  })

  it('looks at 2,000 paths', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [
        `a${i}`,
        Object.fromEntries(many((k) => k, 200).map((k) => [`k${k}`, 1])),
      ]),
    )
    expect(chosen(many(() => wide, 3)).length).toBe(2_000 + 1)
  })

  it('takes keys as they are, also those of Object', () => {
    const texts = many(() => 0, 4).map(() => '{"__proto__":{"constructor":1},"":2,"a.b":3,"\\ud800":4}')
    expect(choosePaths(texts).map(({ keys }) => keys)).toEqual([
      [],
      ['__proto__'],
      ['__proto__', 'constructor'],
      [''],
      ['a.b'],
      ['\ufffd'],
    ])
  })

  it('takes nothing of no rows', () => {
    expect(choosePaths([])).toEqual([])
  })
})
