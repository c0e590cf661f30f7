import { describe, expect, it } from 'vitest'
import { SOURCE_NAMES } from '../../../../src/common/sources.js'
import { MAX_PATHS } from '../../../../src/engine/execute/fields/extractor.js'
import { generate } from '../../../../src/generate/generate.js'
import { ABSENT, JSON_VALUE } from '../../../../src/wasm-layout/values.js'
import { below, mulberry32, oneOf, type Random } from '../../../support/random.js'
import { testSeed } from '../../../support/seed.js'
import { allRows, extractAll, extractor, one, write } from './extract-texts.js'
import { fieldOf } from './path-oracle.js'
import { KEYS, randomDocument } from './random-json.js'

describe('random texts', () => {
  it('give what the oracle reads', () => {
    const seed = testSeed()
    console.log(`seed ${seed}`)
    const random = mulberry32(seed)
    for (let run = 0; run < 400; run++) {
      const texts = Array.from({ length: 1 + below(random, 12) }, () => randomDocument(random, 1 + below(random, 6)))
      const paths = randomPaths(random)
      const expected = texts.map((text) => paths.map((path) => fieldOf(text, path)))
      expect(extractAll(texts, paths), `seed ${seed}, run ${run}`).toEqual(expected)
    }
  })

  it('give what the oracle reads up to 128 levels deep', () => {
    const seed = testSeed()
    console.log(`seed ${seed}`)
    const random = mulberry32(seed)
    for (let run = 0; run < 100; run++) {
      const nests = Array.from({ length: 121 + below(random, 3) }, () => oneOf(random, ['list', ...KEYS.slice(0, 4)]))
      const text = nests.reduceRight(
        (inner, nest) => (nest === 'list' ? `[${inner},{}]` : `{${JSON.stringify(nest)}:${inner},"end":{}}`),
        randomDocument(random, 4),
      )
      const outer = nests.filter((nest) => nest !== 'list')
      const paths = randomPaths(random).slice(0, MAX_PATHS / 2)
      const all = [...paths, ...paths.map((path) => [...outer, ...path])]
      expect(extractAll([text], all), `seed ${seed}, run ${run}`).toEqual([all.map((path) => fieldOf(text, path))])
    }
  })

  it('give something, and end, if they are damaged', () => {
    const seed = testSeed()
    console.log(`seed ${seed}`)
    const random = mulberry32(seed)
    for (let run = 0; run < 400; run++) {
      const texts = Array.from({ length: 8 }, () => damaged(random, randomDocument(random, 4)))
      const paths = randomPaths(random)
      const { kinds, starts, ends, bytes } = extractor.extract(paths, write(texts), allRows(8))
      const wrong = [...kinds.keys()].filter(
        (i) => kinds[i]! > JSON_VALUE || (kinds[i] !== ABSENT && !(starts[i]! <= ends[i]! && ends[i]! <= bytes.length)),
      )
      expect(wrong, `seed ${seed}, run ${run}`).toEqual([])
    }
    expect(one('{"a":1}', 'a')).toBe('number 1')
  })

  it('end in linear time if they are damaged', () => {
    for (const part of ['\\":', '":', '::', '[', '{', '{"":', '"a":', '\\', '"', '\\"', ' :', '"a": ', '"a":[ ', '}']) {
      const text = part.repeat(2 ** 20 / part.length)
      extractAll([text, `{"a":${text}`, `{"a":"\\n"${text}`], [['a'], ['', 'a'], [], ['a', 'a', 'a']])
    }
    expect(one('{"a":1}', 'a')).toBe('number 1')
  })
})

/** Paths of which some are equal, and some the start of others. */
function randomPaths(random: Random): string[][] {
  const path = () => Array.from({ length: below(random, 4) }, () => oneOf(random, KEYS))
  const first = Array.from({ length: below(random, 5) }, path)
  const longer = first.flatMap((start) => (random() < 0.5 ? [[...start, ...path()]] : []))
  return [...first, ...longer, ...Array.from({ length: below(random, 12) }, () => [oneOf(random, KEYS)])]
}

function damaged(random: Random, text: string): Uint8Array {
  const bytes = Buffer.from(text)
  for (let changes = below(random, 4); changes >= 0; changes--) {
    bytes[below(random, bytes.length)] = oneOf(random, [...Buffer.from('"\\{}[]:, 0'), below(random, 256)])
  }
  return bytes.subarray(0, random() < 0.3 ? below(random, bytes.length) : bytes.length)
}

describe('generated records', () => {
  it.each(SOURCE_NAMES)('of %s give what the oracle reads, for each of their paths', (source) => {
    const options = { rows: 20, seed: 1, endUs: 1.7e15, spanUs: 86_400e6, slim: false, projects: 5, badEvery: 0 }
    const lines = Buffer.concat([...generate({ ...options, source })])
      .toString()
      .trim()
      .split('\n')
    const texts = lines.map((line) => JSON.stringify(JSON.parse(line).metadata ?? {}))
    const all = new Map(
      texts.flatMap((text) => pathsOf(JSON.parse(text), [])).map((path) => [JSON.stringify(path), path]),
    )
    const paths = [...all.values()]
    expect(paths.length).toBeGreaterThan(1)
    for (let i = 0; i < paths.length; i += MAX_PATHS) {
      const some = paths.slice(i, i + MAX_PATHS)
      const expected = texts.map((text) => some.map((path) => fieldOf(text, path)))
      expect(extractAll(texts, some)).toEqual(expected)
      expect(expected.flat().some(({ kind }) => kind !== 'absent')).toBe(true)
    }
  })
})

function pathsOf(value: unknown, path: string[]): string[][] {
  if (typeof value !== 'object' || value === null) return [path]
  if (Array.isArray(value)) return [path, ...(value.length > 0 ? pathsOf(value[0], path) : [])]
  return [path, ...Object.entries(value).flatMap(([key, member]) => pathsOf(member, [...path, key]))]
}
