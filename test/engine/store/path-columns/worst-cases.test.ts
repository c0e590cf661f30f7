import { describe, expect, it } from 'vitest'
import type { FieldPath } from '../../../../src/engine/execute/columns/field-path.js'
import { range } from '../../../../src/engine/execute/columns/selection.js'
import { FieldColumn, valueOfCode } from '../../../../src/engine/execute/fields/field-column.js'
import { createFieldReader } from '../../../../src/engine/execute/fields/read-fields.js'
import {
  readPathColumns,
  readSegmentFacts,
  replacePathFile,
  writeSegment,
} from '../../../../src/engine/store/files/segment-file.js'
import { makeMessageFilter, makePathColumns } from '../../../../src/engine/store/path-columns/make-path-columns.js'
import { below, mulberry32, oneOf, type Random } from '../../../support/random.js'
import { edge } from '../../../support/records.js'
import { runs } from '../../../support/runs.js'
import { testSeed } from '../../../support/seed.js'
import { createMemoryFiles } from '../files/memory-files.js'
import { noYield, sealedBatch } from '../support.js'

const word = (random: Random) => below(random, 2 ** 31).toString(36)
const OPTIONAL = Array.from({ length: 12 }, (_, i) => `header_${i}`)
const SETS = Array.from({ length: 10_000 }, (_, i) => [`a${i}`, `b${i % 97}`, `c${i % 1_009}`])
const WIDE = Array.from({ length: 2_001 }, (_, i) => `key${i}`)

/** Metadata that is bad for path columns: the number of rows, and the metadata of each. */
const CASES: [string, number, (random: Random, i: number) => object][] = [
  ['random keys', runs(60_000), (random) => ({ [word(random)]: 1, [word(random)]: { [word(random)]: 'x' }, kept: 1 })],
  [
    '10,000 sets of keys',
    runs(60_000),
    (_, i) => Object.fromEntries(SETS[i % SETS.length]!.map((key) => [key, i % 3])),
  ],
  ['2,001 paths', runs(4_000), (_, i) => Object.fromEntries(WIDE.map((key, k) => [key, (i + k) % 4]))],
  [
    '12 optional keys',
    runs(100_000),
    (random) => ({
      headers: Object.fromEntries(OPTIONAL.filter(() => random() < 0.3).map((key) => [key, oneOf(random, ['a', 'b'])])),
    }),
  ],
  ['one row of 1 MiB', runs(20_000), (_, i) => ({ text: i === 77 ? 'x'.repeat(2 ** 20) : 'y', n: i % 7 })],
  ['rows of 40 bytes', runs(262_144), (_, i) => ({ a: i % 5 })],
  ['values that are all different', runs(60_000), (random) => ({ id: word(random), other: { id: word(random) } })],
]

async function valuesOf(columns: readonly FieldColumn[], rows: number) {
  return columns.map((column) => {
    const { codes, dictionary } = column.snapshot()
    return Array.from({ length: rows }, (_, row) => valueOfCode(dictionary, codes[row]!, true))
  })
}

describe('path columns of', () => {
  it.each(
    CASES,
  )('%s take a twentieth of the segment at most, and have the values of the metadata', async (...given) => {
    const [, rows, metadataOf] = given
    const seed = testSeed()
    const random = mulberry32(seed)
    const records = Array.from({ length: rows }, (_, i) =>
      edge({ id: `${i}`, timestampUs: i, project: `p${i % 9}`, metadata: metadataOf(random, i) }),
    )
    const segment = await sealedBatch(records)
    const files = createMemoryFiles()
    await writeSegment(files, 's', segment)
    const facts = await readSegmentFacts(files, 's')
    const columns = await makePathColumns(segment, noYield)
    const messages = await makeMessageFilter(segment, noYield)
    if (columns.length === 0 && messages === undefined) return
    await replacePathFile(files, 's', facts, { columns, messages })
    const written = await readSegmentFacts(files, 's')
    expect(columns.length).toBeLessThanOrEqual(256)
    expect(written.pathFileBytes).toBeGreaterThan(0)
    // A file of a single column may be larger.
    const paths: FieldPath[] = columns.map(({ path }) => path)
    const stored = await readPathColumns(files, 's', written, paths)
    const found = stored.filter((field) => field !== undefined)
    const share = 1 / 20 + 1 / 32
    if (found.length > 1) expect(written.pathFileBytes).toBeLessThanOrEqual(facts.fileBytes * share)
    const kept = paths.filter((_, i) => stored[i] !== undefined).slice(0, 40)
    const filled = found.slice(0, 40).map((field) => {
      const column = new FieldColumn(0, 0)
      column.fill(field)
      return column
    })
    const cache = { columnOf: () => new FieldColumn(rows, 1e9), resize() {} }
    const reader = createFieldReader(segment, {}, cache as never)
    const read = await reader.read(kept, range(0, rows, false), noYield)
    expect(await valuesOf(filled, rows), `seed ${seed}`).toEqual(await valuesOf(read, rows))
  }, 120_000)
})
