import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { didYouMean, nearest } from '../../../src/base/text/nearest.js'

const NAMES = ['port', 'host', 'data-dir', 'max-disk-bytes', 'tokens-file', 'access-tokens', 'retention-days']

describe('nearest', () => {
  it.each([
    ['prot', 'port'],
    ['porrt', 'port'],
    ['data_dir', 'data-dir'],
    ['dataDir', 'data-dir'],
    ['LOGWEIR_DATA_DIR', 'data-dir'],
    ['retention-day', 'retention-days'],
    ['max-disc-byte', 'max-disk-bytes'],
    ['nope', undefined],
    ['', undefined],
    ['tokens', undefined],
    ['x'.repeat(1e6), undefined],
  ])('takes %.20s for %s', (word, meant) => {
    expect(nearest(word, NAMES)).toBe(meant)
  })

  it('finds a name behind any one slip', () => {
    const slip = fc.record({
      name: fc.constantFrom(...NAMES),
      at: fc.nat(3),
      kind: fc.constantFrom('swap', 'drop', 'add'),
    })
    fc.assert(
      fc.property(slip, ({ name, at, kind }) => {
        const [before, one, other, after] = [name.slice(0, at), name[at], name[at + 1] ?? '', name.slice(at + 2)]
        const typed = { swap: `${other}${one}${after}`, drop: `${other}${after}`, add: `${one}x${other}${after}` }[kind]
        expect(nearest(before + typed, NAMES)).toBe(name)
      }),
    )
  })

  it('begins or lists', () => {
    expect(didYouMean('hots', NAMES)).toBe('Did you mean host?')
    expect(didYouMean('nginx', ['a', 'b'])).toBe('There are: a, b.')
  })
})
