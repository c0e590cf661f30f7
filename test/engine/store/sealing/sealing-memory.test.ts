import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COLD_COLUMNS } from '../../../../src/common/columns.js'
import type { TextColumn } from '../../../../src/engine/execute/columns/batch.js'
import { closeDictionary, createInterner, entryOf } from '../../../../src/engine/execute/columns/dictionary.js'
import {
  createColdTexts,
  createTexts,
  reserveBytes,
  type Texts,
} from '../../../../src/engine/execute/open-batch/texts.js'
import type { InternedTexts } from '../../../../src/engine/store/sealing/intern.js'
import { seal } from '../../../../src/engine/store/sealing/seal.js'
import { createSealingMemory } from '../../../../src/engine/store/sealing/sealing-memory.js'
import { sealCold } from '../../../../src/engine/store/segment/cold.js'
import { edge } from '../../../support/records.js'
import { runs } from '../../../support/runs.js'
import { internIn } from '../../../support/sealer.js'
import { headOf, noYield } from '../support.js'

type Row = [string, string, string]

/** Fills `texts` with the texts of rows, and leaves room after the texts. */
function fill(texts: Texts, rows: readonly Row[]): Texts {
  texts.usedBytes = 0
  texts.places = new Uint32Array(2 * COLD_COLUMNS.length * rows.length)
  rows.flat().forEach((text, i) => {
    const length = Buffer.byteLength(text)
    reserveBytes(texts, length)
    Buffer.from(texts.bytes.buffer).write(text, texts.usedBytes)
    texts.places.set([texts.usedBytes, texts.usedBytes + length], 2 * i)
    texts.usedBytes += length
  })
  return texts
}

const memory = createSealingMemory()
const gathering = () => ({ ...createColdTexts(), memory, bytes: memory.growInPlace(0) })

/** Texts of lengths that copies may treat differently: empty, words, around 16 and 64 bytes, long. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 70 }),
  fc.nat(300).map((length) => 'x'.repeat(length)),
)
const someRows = fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 60 })

/** A column of texts and nulls. */
function columnOf(values: readonly (string | null)[]): Texts {
  const texts = createTexts({ columns: 1, growsInPlace: false })
  texts.places = new Uint32Array(2 * values.length)
  values.forEach((value, row) => {
    const length = Buffer.byteLength(value ?? '')
    reserveBytes(texts, length)
    Buffer.from(texts.bytes.buffer).write(value ?? '', texts.usedBytes)
    texts.places.set(value === null ? [1, 0] : [texts.usedBytes, texts.usedBytes + length], 2 * row)
    texts.usedBytes += length
  })
  return texts
}

/** Converts to values that can be compared. */
function comparable({ codes, dictionary }: InternedTexts) {
  const { count, hasNewlines } = dictionary
  const entries = Array.from({ length: count }, (_, code) => entryOf(dictionary, code).toString('latin1'))
  return {
    codes: [...codes],
    entries,
    hasNewlines,
    end: dictionary.offsets[count],
    bytes: closeDictionary(dictionary).bytes,
  }
}

describe('memory of a WebAssembly module', () => {
  it('seals texts into the same file as that of JavaScript, whatever was sealed in it before', async () => {
    const cases = fc.record({
      rows: someRows,
      times: fc.integer({ min: 1, max: 30 }),
      effort: fc.constantFrom('low', 'high'),
    })
    await fc.assert(
      fc.asyncProperty(cases, fc.infiniteStream(fc.nat()), async ({ rows, times, effort }, numbers) => {
        const all = Array.from({ length: times }, () => rows).flat()
        const order = Uint32Array.from(all, () => numbers.next().value % all.length)
        const seal = (texts: Texts) => sealCold(fill(texts, all), order, noYield, () => effort)
        expect(await seal(gathering())).toEqual(await seal(createColdTexts()))
      }),
      { numRuns: runs(100) },
    )
  })

  it('finds the same distinct texts as JavaScript, and leaves what stands before them', () => {
    const values = fc.array(fc.oneof(text, fc.constantFrom('', '\n', 'a\nb', 'x'.repeat(40)), fc.constant(null)), {
      minLength: 1,
      maxLength: 200,
    })
    fc.assert(
      fc.property(values, fc.nat(5000), fc.infiniteStream(fc.nat()), (values, at, numbers) => {
        const order = Uint32Array.from(values, () => numbers.next().value % values.length)
        memory.growInPlace(at).fill(7, 0, at)
        const texts = columnOf(values)
        expect(comparable(memory.intern(texts, order, at))).toEqual(
          comparable(internIn(createInterner())(texts, order)),
        )
        expect(
          memory
            .growInPlace(at)
            .subarray(0, at)
            .every((byte) => byte === 7),
        ).toBe(true)
      }),
    )
  })

  it('tells apart 300,000 texts, of which some ten pairs have the same hash, and finds each again', () => {
    const values = Array.from({ length: 300_000 }, (_, i) => `/v1/object/${i}`)
    const order = Uint32Array.from({ length: 400_000 }, (_, i) => i % values.length)
    const { codes, dictionary } = memory.intern(columnOf(values), order, 0)
    expect(dictionary.count).toBe(values.length + 1)
    expect(codes.every((code, i) => code === (i % values.length) + 1)).toBe(true)
  })

  it('sees a newline anywhere in a text, and none behind it', () => {
    const hasNewlines = (...values: string[]) =>
      memory.intern(columnOf(values), Uint32Array.of(0), 0).dictionary.hasNewlines
    for (let length = 0; length < 70; length++) {
      expect(hasNewlines('x'.repeat(length), '\n'.repeat(80))).toBe(false)
      for (let at = 0; at < length; at++) {
        expect(hasNewlines(`${'x'.repeat(at)}\n${'x'.repeat(length - at - 1)}`)).toBe(true)
      }
    }
  })

  it('keeps what stands in it when it grows, and counts its bytes', () => {
    const small = createSealingMemory()
    expect(small.byteLength).toBe(0)
    small.growInPlace(3).set([1, 2, 3])
    const before = small.byteLength
    const grown = small.growInPlace(before + 1)
    expect([...grown.subarray(0, 4)]).toEqual([1, 2, 3, 0])
    expect(grown.length).toBeGreaterThan(before)
    expect(small.byteLength).toBe(grown.buffer.byteLength)
    expect(small.growInPlace(5)).toBe(grown)
  })
})

describe('sealing in the memory of a WebAssembly module', () => {
  it('copies the codes of a column with more distinct texts than two bytes can count', async () => {
    const urls = Array.from({ length: 2 ** 16 + 1 }, (_, i) => `https://a.co/${i}`)
    const head = headOf(urls.map((url) => edge({ metadata: { request: { url } } })))
    const [part] = await seal(head, (texts, order) => memory.intern(texts, order, 0), noYield)
    memory.intern(columnOf(urls.map(() => 'overwrites the codes')), Uint32Array.from(urls.keys()), 0)
    const { codes, dictionary } = part!.columns.get('url') as TextColumn
    expect(Array.from(codes, (code) => entryOf(dictionary, code).toString())).toEqual(urls)
  })
})
