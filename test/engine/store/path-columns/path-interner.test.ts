import { describe, expect, it } from 'vitest'
import type { ColdTexts } from '../../../../src/engine/execute/columns/batch.js'
import { entryOf } from '../../../../src/engine/execute/columns/dictionary.js'
import type { FieldPath, PathValues } from '../../../../src/engine/execute/columns/field-path.js'
import { elementCount } from '../../../../src/engine/execute/fields/element-count.js'
import { createPathInterner } from '../../../../src/engine/store/path-columns/path-interner.js'
import { below, mulberry32, oneOf, type Random } from '../../../support/random.js'
import { costlyRuns } from '../../../support/runs.js'
import { testSeed } from '../../../support/seed.js'
import { type FieldValue, fieldOf } from '../../execute/fields/path-oracle.js'
import { KEYS, randomDocument } from '../../execute/fields/random-json.js'

/** Interns texts in batches of some rows. */
function intern(texts: readonly string[], paths: readonly FieldPath[], batchRows = texts.length) {
  const interner = createPathInterner(paths, texts.length)
  for (let from = 0; from < texts.length; from += batchRows) {
    const some = texts.slice(from, from + batchRows).map((text) => Buffer.from(text))
    let end = 0
    const offsets = Int32Array.from([0, ...some.map(({ length }) => (end += length))])
    const memory = interner.textMemory(offsets.at(-1)!)
    memory.set(Buffer.concat(some))
    const bytes = Buffer.from(memory.buffer, memory.byteOffset, memory.length)
    interner.add({ from, to: from + some.length, offsets, bytes } satisfies ColdTexts)
  }
  return interner.fields()
}

/** The entry of each row, null without a value. */
const entriesOf = ({ codes, entries }: PathValues): (string | null)[] =>
  Array.from(codes, (code) => (code === 0 ? null : entryOf(entries, code).toString()))

function expectedEntry(value: FieldValue): string | null {
  if (value.kind === 'absent') return null
  return value.kind === 'text' ? `"${value.text.toWellFormed()}` : value.raw
}

function expectedCount(value: FieldValue): string | null {
  if (value.kind !== 'json') return null
  const bytes = Buffer.from(value.raw)
  const count = elementCount(bytes, 0, bytes.length)
  return count === 0 ? null : count === 1 ? '1' : '"other'
}

function randomPaths(random: Random): FieldPath[] {
  const keys = () => Array.from({ length: below(random, 4) }, () => oneOf(random, KEYS))
  return Array.from({ length: 1 + below(random, 90) }, () => ({ keys: keys(), isCount: random() < 0.3 }))
}

const at = (...keys: string[]): FieldPath => ({ keys, isCount: false })

describe('an interner of paths', () => {
  it('has the values that the oracle reads, as spelled', () => {
    const seed = testSeed()
    for (let run = 0; run < costlyRuns(2_000); run++) {
      const random = mulberry32(seed + run)
      const texts = Array.from({ length: 1 + below(random, 30) }, () => randomDocument(random, 1 + below(random, 5)))
      const paths = randomPaths(random)
      const fields = intern(texts, paths, 1 + below(random, texts.length))
      for (const [i, { keys, isCount }] of paths.entries()) {
        const expected = texts.map((text) => (isCount ? expectedCount : expectedEntry)(fieldOf(text, keys)))
        const isFit = expected.every((entry) => entry === null || Buffer.byteLength(entry) <= 1024)
        const hasValue = expected.some((entry) => entry !== null)
        const shown = `seed ${seed + run}, ${JSON.stringify(paths[i])}`
        expect(fields[i] && entriesOf(fields[i]), shown).toEqual(isFit && hasValue ? expected : undefined)
      }
    }
  })

  it.each([
    ['512 texts', (i: number) => `"v${i % 512}"`, true],
    ['513 texts', (i: number) => `"v${i % 513}"`, false],
    ['65,533 integers', (i: number) => `${i % 65_533}`, true],
    ['65,534 integers', (i: number) => `${i % 65_534}`, false],
    ['513 integers and a text', (i: number) => (i === 600 ? '"x"' : `${i % 513}`), false],
    ['513 integers, of which one is too great', (i: number) => `${(i % 513) + 65_024}`, false],
    ['513 integers as fractions', (i: number) => `${i % 513}.0`, false],
    ['a value of 1,024 bytes', () => `"${'x'.repeat(1_023)}"`, true],
    ['a value of 1,025 bytes', () => `"${'x'.repeat(1_024)}"`, false],
  ])('keeps %s: %s', (_, value, isKept) => {
    const texts = Array.from({ length: 66_000 }, (_, i) => `{"v":${value(i)},"w":1}`)
    const rows = value(0).length > 100 ? texts.slice(0, 100) : texts
    const batchRows = 512
    const [v, w] = intern(rows, [at('v'), at('w')], batchRows)
    expect(v !== undefined).toBe(isKept)
    expect(entriesOf(w!).every((entry) => entry === '1')).toBe(true)
    if (isKept) expect(entriesOf(v!)[99]).toBe(JSON.parse(rows[99]!).v === 99 ? '99' : `"${JSON.parse(rows[99]!).v}`)
  })

  it('keeps the values of many paths apart, and gives up those that find no room', () => {
    const keys = Array.from({ length: 256 }, (_, i) => `k${i}`)
    const texts = Array.from({ length: 1_100 }, (_, i) => {
      return `{${keys.map((key, k) => `"${key}":"${k < 24 ? `${key} ${i % 500}`.padEnd(1_000) : i % 3}"`).join(',')}}`
    })
    const fields = intern(
      texts,
      keys.map((key) => at(key)),
      20,
    )
    const kept = fields.flatMap((field, k) => (field === undefined ? [] : [k]))
    // 8 MiB have 16 columns of 500 values of 1,000 bytes.
    expect(kept.length).toBeGreaterThan(16)
    expect(kept.length).toBeLessThan(256)
    const rows = texts.map((text) => JSON.parse(text) as Record<string, unknown>)
    for (const k of kept) {
      expect(entriesOf(fields[k]!)).toEqual(rows.map((row) => `"${row[`k${k}`]}`))
    }
  })
})
