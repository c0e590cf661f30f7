import fc from 'fast-check'
import { expect, it } from 'vitest'
import { faultOfOwnName, MAX_OWN_SOURCES } from '../../src/common/own-source-names.js'
import { acceptSources, allSourceNames, findSource, ownSourceCount, SOURCE_NAMES } from '../../src/common/sources.js'
import { runs } from '../support/runs.js'
import { parse } from './parsing.js'
import { lowered } from './reference/lowered.js'

// The process is this file's own: the sources that records make here, other files would see.
acceptSources([], true)

/** Returns the name of the source of a record that gives this text. Undefined if no source can have the name. */
function loweredName(text: string): string | undefined {
  const name = lowered(text)
  return faultOfOwnName(name) === undefined ? name : undefined
}

const PARTS = ['a', 'Z', '9', '_', '-', '/', '..', '\0', '"', '\\', '\n', 'é', '\u2028', '\u212a', '\ud800', ' ', '*']
const texts = fc.oneof(
  fc.array(fc.constantFrom(...PARTS), { maxLength: 70, size: 'max' }).map((list) => list.join('')),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', minLength: 50, maxLength: 80 }),
)

it('no name outside the rule becomes a source, whatever texts records give', () => {
  fc.assert(
    fc.property(texts, (source) => {
      const name = loweredName(source)
      const isOfNine = (SOURCE_NAMES as readonly string[]).includes(source)
      const isAccepted =
        isOfNine || (name !== undefined && (findSource(name) !== undefined || ownSourceCount() < MAX_OWN_SOURCES))
      const { rows, rejects } = parse(JSON.stringify({ source }))
      expect([rows.length, rejects.map(({ reason }) => reason)]).toEqual(isAccepted ? [1, []] : [0, ['unknown_source']])
      if (isAccepted && !isOfNine) {
        expect(rows[0]!.source).toBe(name)
        const kept = name === source ? {} : { source: JSON.parse(JSON.stringify(source)) }
        expect(JSON.parse(rows[0]!.metadata as string)).toEqual(kept)
      }
      for (const one of allSourceNames().slice(SOURCE_NAMES.length)) expect(faultOfOwnName(one)).toBeUndefined()
    }),
    { numRuns: runs(300) },
  )
})
