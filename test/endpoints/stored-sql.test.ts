import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { repeated } from '../../src/plan/functions/repeated.js'
import { RawJson, type Scalar } from '../../src/plan/values/values.js'
import { readSql } from '../../src/sql/read-sql.js'
import type { PlainRow } from '../oracle/oracle.js'
import { appendAll, openEngine, readAll } from '../support/engine.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { edge, invocation, type TestRecord } from '../support/records.js'
import { testSeed } from '../support/seed.js'

/** The SQL that the listing shows for the built-in endpoints has the rows of their plans. */

const NOW_US = Date.UTC(2026, 10, 26, 10, 37, 42) * 1000 + 123_456
const MINUTE_US = 60_000_000
const AGES_US = [0, 1, 59e6, 5 * MINUTE_US, 15 * MINUTE_US, 60 * MINUTE_US, 1440 * MINUTE_US, 7 * 1440 * MINUTE_US]

const CALLS: readonly (readonly [string, Record<string, readonly (string | null)[]>])[] = [
  [
    'logs.all',
    {
      project: ['a', 'b'],
      project_tier: [null, 'FREE', 'PRO', 'PAYG', 'ENTERPRISE', 'gold'],
      iso_timestamp_start: [null, '2026-11-26T09:37:42.123456Z', '2026-11-20'],
      iso_timestamp_end: [null, '2026-11-26T10:37:42.123455Z'],
    },
  ],
  [
    'functions.invocation-stats',
    {
      project: ['a', 'b'],
      function_id: [null, 'f'],
      interval: [null, '5min', '15min', '1hr', '1day', '7day', '2day'],
    },
  ],
  [
    'usage.api-counts',
    { project: ['abc', '^https', 'b.co'], interval: [null, 'minutely', 'hourly', 'daily', 'weekly'] },
  ],
]

/** A value or nothing, as a record without the field has it. */
const field = (random: Random, name: string, values: readonly unknown[]) =>
  random() < 0.2 ? {} : { [name]: oneOf(random, values) }

const inList = (random: Random, object: object) => (random() < 0.5 ? object : [object])

function randomRecord(random: Random, i: number): TestRecord {
  const timestampUs = NOW_US - oneOf(random, AGES_US) + below(random, 3) - 1
  const given = { id: `${i}`, timestampUs, project: oneOf(random, ['a', 'a', 'b', null]), event_message: 'm' }
  const path = oneOf(random, ['/rest/v1', '/auth/v1', '/storage/rest', '/realtime', '/'])
  const url = field(random, 'url', [`https://abc.co${path}`, 'http://b.co'])
  const request = { ...url, ...field(random, 'path', [path]) }
  const response = field(random, 'status_code', [200, 399, 400, 500])
  const timing = field(random, 'execution_time_ms', [1, 2.5, 100])
  const more = field(random, 'function_id', ['f', 'g'])
  if (random() < 0.5) return edge({ ...given, metadata: inList(random, { request: inList(random, request) }) })
  return invocation({ ...given, metadata: inList(random, { ...timing, ...more, response: inList(random, response) }) })
}

/** Metadata in the form of SQL answers. */
const asAnswered = (row: PlainRow): PlainRow =>
  'metadata' in row
    ? { ...row, metadata: { json: (repeated(new RawJson((row.metadata as { json: string }).json)) as RawJson).text } }
    : row

describe('the stored SQL of the built-in endpoints', () => {
  for (const [name, params] of CALLS) {
    const { query, call, params: declared } = ENDPOINTS.find((endpoint) => endpoint.name === name)!

    it(`names the parameters of ${name}`, () => {
      expect([...readSql(query).parameters].sort()).toEqual(Object.keys(declared).sort())
    })

    it(`returns the rows of ${name}`, async () => {
      const seed = testSeed()
      let compared = 0
      for (let run = 0; run < 4; run++) {
        const random = mulberry32(seed + run)
        const engine = openEngine({ sealRows: 40 })
        await appendAll(
          engine,
          Array.from({ length: 150 }, (_, i) => randomRecord(random, i)),
          30,
        )
        for (let i = 0; i < 12; i++) {
          const given = Object.entries(params).map(([param, values]) => [param, oneOf(random, values)] as const)
          const texts = given.flatMap(([param, value]): [string, string][] => (value === null ? [] : [[param, value]]))
          const plan = readSql(query).plan(Object.fromEntries<Scalar>(given), NOW_US)
          const expected = await readAll(await engine.run(call(new URLSearchParams(texts)).plan(NOW_US)))
          const shown = `seed ${seed + run}, ${JSON.stringify(given)}`
          expect(await readAll(await engine.run(plan)), shown).toEqual(expected.map(asAnswered))
          compared += expected.length
        }
        await engine.close()
      }
      expect(compared).toBeGreaterThan(10)
    })
  }
})
