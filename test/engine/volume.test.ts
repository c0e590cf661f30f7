import fc from 'fast-check'
import { describe, it } from 'vitest'
import { expectRows } from '../oracle/compare.js'
import { oracle } from '../oracle/oracle.js'
import { createFakeClock } from '../support/clock.js'
import { appendAll, ask, openEngine } from '../support/engine.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { edge, type TestRecord } from '../support/records.js'
import { runs } from '../support/runs.js'

/** Runs of properties that need more rows, longer texts or more values than the initial sizes of blocks and tables. */
const RUNS = runs(25)
const TIMEOUT_MS = 300_000 + RUNS * 10_000
const NOW_US = Date.UTC(2026, 10, 20, 10, 30) * 1000
const SECOND_US = 1_000_000

/** The sizes at which tables and blocks are full, and adjacent sizes. */
const arbitraryBatchRows = fc.oneof(
  fc.constantFrom(1, 255, 256, 257, 511, 512, 1_023, 1_024, 1_025, 4_000),
  fc.integer({ min: 1, max: 2_000 }),
)

const LENGTHS = [0, 3, 30, 30, 300, 300, 3_000]

/** Returns a text without repeated parts, so that a wrong offset shows. */
function longText(random: Random, n: number): string {
  const length = random() < 0.002 ? 100_000 : oneOf(random, LENGTHS)
  return Array.from({ length: Math.ceil(length / 8) }, (_, i) => `${n}é${i}`).join(' ')
}

/** Returns rows of two projects, each a second after the last, or in mixed order. */
function manyRows(count: number, seed: number, isMixed: boolean): TestRecord[] {
  const random = mulberry32(seed)
  return Array.from({ length: count }, (_, n) => {
    const second = isMixed ? below(random, 80_000) : count - n
    return edge({
      id: `id ${n}`,
      project: oneOf(random, ['a', 'a', 'b']),
      timestampUs: NOW_US - second * SECOND_US,
      event_message: longText(random, n),
      metadata: { n, text: longText(random, n) },
    })
  })
}

/** Returns the ends of time ranges that divide a project's rows into pages of a hundred. */
function pageEnds(records: readonly TestRecord[], project: string): string[] {
  const times = records.filter((record) => record.project === project).map(({ timestampUs }) => timestampUs)
  const ends = times.toSorted((a, b) => b - a).filter((_, i) => i % 100 === 0)
  return ends.map((timestampUs) => new Date(timestampUs / 1000).toISOString())
}

const PIECES = ['a', 'a', 'b', 'b', 'ab', 'A', '/', '.', 'é', '\n', '\r', '\0', ' ', '_', '1', '😀']

function manyUrls(count: number, seed: number): string[] {
  const random = mulberry32(seed)
  return Array.from({ length: count }, () => {
    const length = random() < 0.001 ? 70_000 : below(random, 7)
    return Array.from({ length }, () => oneOf(random, PIECES)).join('')
  })
}

/** Elements of RE2's syntax, each a valid pattern: most match the start or end of a URL, or a line break. */
const ATOMS = [
  'a',
  'b',
  'ab',
  'é',
  '.',
  '^',
  '$',
  '\\A',
  '\\z',
  '\\b',
  '(?:a\\B|\\Bb)',
  '\\n',
  '\\x00',
  '\\s',
  '\\W',
  '\\PL',
  '[^a]',
  '[^\\n]',
  '[a-z]',
  '[[:^alpha:]]',
  '(?m:^)',
  '(?m:$)',
  '(?s:.)',
  '(?-s:.)',
  '(?i:A)',
  '(?-m:^a)',
  '(a|)',
  '(?:b|\\n)',
  'a*',
  '\\Q.\\E',
  '\\.',
  '/',
  '|',
]
const PREFIXES = ['', '', '', '(?m)', '(?s)', '(?i)', '(?sm)', '(?ism)', '(?U)', '(?m-s)']
const arbitraryPattern = fc
  .tuple(fc.constantFrom(...PREFIXES), fc.array(fc.constantFrom(...ATOMS), { minLength: 1, maxLength: 5 }))
  .map(([prefix, atoms]) => prefix + atoms.join(''))

describe('the embedded engine', () => {
  it(
    'gives back each of many rows, texts whole',
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.oneof(fc.constantFrom(256, 512, 1_024), fc.integer({ min: 1, max: 4_000 })),
          fc.integer(),
          fc.boolean(),
          arbitraryBatchRows,
          fc.constantFrom(undefined, 1_000, 2_500),
          async (count, seed, isMixed, batchRows, sealRows) => {
            const records = manyRows(count, seed, isMixed)
            const engine = openEngine({ clock: createFakeClock(NOW_US), sealRows })
            await appendAll(engine, records, Math.max(batchRows, Math.ceil(count / 500)))
            if (seed % 3 === 0) await engine.seal()
            for (const project of ['a', 'b']) {
              for (const iso_timestamp_end of pageEnds(records, project)) {
                const params = { project, project_tier: 'PRO', iso_timestamp_end }
                const rows = await ask(engine, 'logs.all', params, NOW_US)
                expectRows(rows, oracle('logs.all', records, params, NOW_US))
              }
            }
            await engine.close()
          },
        ),
        { numRuns: RUNS },
      ),
    TIMEOUT_MS,
  )

  it(
    'finds a pattern in the same of many URLs as RE2 does, asked one by one',
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 3_000 })),
          fc.integer(),
          arbitraryBatchRows,
          fc.boolean(),
          fc.array(arbitraryPattern, { minLength: 20, maxLength: 20 }),
          async (count, seed, batchRows, isSealed, patterns) => {
            const records = manyUrls(count, seed).map((url, n) =>
              edge({ timestampUs: NOW_US - (n % 50) * 60 * SECOND_US, metadata: { request: { url, path: '/rest' } } }),
            )
            const engine = openEngine({ clock: createFakeClock(NOW_US) })
            await appendAll(engine, records, Math.max(batchRows, Math.ceil(count / 100)))
            if (isSealed) await engine.seal()
            for (const project of patterns) {
              const params = { project, interval: 'minutely' }
              const rows = await ask(engine, 'usage.api-counts', params, NOW_US)
              expectRows(rows, oracle('usage.api-counts', records, params, NOW_US))
            }
            await engine.close()
          },
        ),
        { numRuns: RUNS },
      ),
    TIMEOUT_MS,
  )
})
