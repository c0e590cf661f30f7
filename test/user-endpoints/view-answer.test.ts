import { describe, expect, it } from 'vitest'
import { HOUR_US, MIB } from '../../src/base/units.js'
import type { Engine, ReadView } from '../../src/engine/engine.js'
import { type Scalar, Timestamp } from '../../src/plan/values/values.js'
import { checkedEndpoint } from '../../src/user-endpoints/checked-endpoint.js'
import { readFrontMatter } from '../../src/user-endpoints/front-matter.js'
import { validateEndpoint } from '../../src/user-endpoints/validate.js'
import { viewEndpoint } from '../../src/user-endpoints/view-endpoint.js'
import { createTestApp } from '../http/support.js'
import { openEngine } from '../support/engine.js'
import { below, mulberry32, oneOf } from '../support/random.js'
import { edge } from '../support/records.js'
import { testSeed } from '../support/seed.js'
import { openWorld } from '../views/catalog/world.js'

const textOf = (lines: string, behind = '') => `-- view: keep 400d
${lines}select timestamp_trunc(timestamp, hour) as hour, request.path, count(*) as n
from edge_logs group by hour, path ${behind}`

type Group = readonly [hour: number, path: string, n: number]

/** The groups of a project, the newest bucket first, a few at a time. */
const reading = (groups: readonly Group[], atOnce: number): ReadView =>
  async function* (_, { fromUs, throughUs }) {
    const rows = groups.map(([hour, path, n]): Scalar[] => ['a', new Timestamp(hour * HOUR_US), path, n])
    const wanted = rows.filter(
      ([, at]) => Number((at as Timestamp).us) >= fromUs && Number((at as Timestamp).us) <= throughUs,
    )
    for (let i = 0; i < wanted.length; i += atOnce) yield wanted.slice(i, i + atOnce)
  }

interface Answer {
  rows: Group[]
  header: string | undefined
}

function service(text: string, engine: Engine) {
  const endpoint = checkedEndpoint(viewEndpoint(text, 'v', readFrontMatter(text)))
  const { get } = createTestApp({ engine, endpoints: [endpoint] })
  return async (parameters = ''): Promise<Answer> => {
    const response = await get(`/api/endpoints/query/v?project=a${parameters}`)
    expect(response.status).toBe(200)
    const { result } = (await response.json()) as { result: { hour: number; path: string; n: number }[] }
    const rows = result.map(({ hour, path, n }): Group => [hour / HOUR_US, path, n])
    return { rows, header: response.headers.get('Logweir-View') ?? undefined }
  }
}

/** All answers, each with the `end` that the answer before says. */
async function follow(ask: (parameters?: string) => Promise<Answer>): Promise<Answer[]> {
  const answers = [await ask()]
  for (;;) {
    const [, before] = /(?:^|, )more; before=([^,]+)/.exec(answers.at(-1)!.header ?? '') ?? []
    if (before === undefined) return answers
    answers.push(await ask(`&end=${before}`))
  }
}

const bucket = (hour: number, count: number, n = 2): Group[] =>
  Array.from({ length: count }, (_, i) => [hour, `/${i}`, n])

const pathsBy = (answers: readonly Answer[]) =>
  answers.map(({ rows }) =>
    [...new Set(rows.map(([hour]) => hour))].map((hour) => [hour, rows.filter(([at]) => at === hour).length]),
  )

describe('the answer of a view', () => {
  it('ends at a whole bucket, and says where to go on', async () => {
    const groups = [...bucket(9, 3), ...bucket(8, 2), ...bucket(5, 4), ...bucket(4, 1)]
    for (const atOnce of [1, 2, 100]) {
      const engine = openEngine({ readView: reading(groups, atOnce) })
      const answers = await follow(service(textOf('-- max rows: 5\n'), engine))
      expect(answers.map(({ header }) => header)).toEqual(['more; before=1970-01-01T08:00:00.000Z', undefined])
      expect(answers.flatMap(({ rows }) => rows)).toEqual(groups)
      expect(pathsBy(answers)).toEqual([
        [
          [9, 3],
          [8, 2],
        ],
        [
          [5, 4],
          [4, 1],
        ],
      ])
      await engine.close()
    }
  })

  it('has a bucket whole that has more rows than an answer', async () => {
    const groups = [...bucket(9, 1), ...bucket(8, 20), ...bucket(7, 1), ...bucket(6, 30)]
    const engine = openEngine({ readView: reading(groups, 4) })
    const answers = await follow(service(textOf('-- max rows: 5\n'), engine))
    expect(pathsBy(answers)).toEqual([[[9, 1]], [[8, 20]], [[7, 1]], [[6, 30]]])
    expect(answers.at(-1)!.header).toBeUndefined()
    await engine.close()
  })

  it('counts the rows that HAVING leaves', async () => {
    const groups = [...bucket(9, 4, 1), ...bucket(9, 2), ...bucket(8, 50, 1), ...bucket(7, 3), ...bucket(6, 9, 1)]
    const engine = openEngine({ readView: reading(groups, 7) })
    const [answer, ...others] = await follow(service(textOf('-- max rows: 5\n', 'having n > 1'), engine))
    expect(answer).toEqual({ rows: [...bucket(9, 2), ...bucket(7, 3)], header: undefined })
    expect(others).toEqual([])
    await engine.close()
  })

  it('has the order of the text within the buckets that fit', async () => {
    const groups: Group[] = [
      [9, '/b', 2],
      [9, '/a', 3],
      [8, '/c', 1],
      [7, '/d', 9],
    ]
    const engine = openEngine({ readView: reading(groups, 2) })
    const [first] = await follow(service(textOf('-- max rows: 3\n', 'order by n'), engine))
    expect(first!.rows.map(([, path]) => path)).toEqual(['/c', '/b', '/a'])
    await engine.close()
  })

  it('has the first rows of all buckets if the text has a limit', async () => {
    const groups = [...bucket(9, 50), ...bucket(8, 1, 7)]
    const engine = openEngine({ readView: reading(groups, 8) })
    const ask = service(textOf('-- max rows: 5\n', 'order by n desc, hour desc, path limit 2'), engine)
    expect(await ask()).toEqual({
      rows: [
        [8, '/0', 7],
        [9, '/0', 2],
      ],
      header: undefined,
    })
    await engine.close()
  })

  it('has at most 100,000 rows, or 32 MiB of values', async () => {
    const many = [...bucket(9, 60_000), ...bucket(8, 40_000), ...bucket(7, 1)]
    const engine = openEngine({ readView: reading(many, 1000) })
    const answers = await follow(service(textOf(''), engine))
    expect(answers.map(({ rows }) => rows.length)).toEqual([100_000, 1])
    await engine.close()
    const long = [9, 8, 7, 6].map((hour): Group => [hour, 'x'.repeat(6 * MIB), 1])
    const other = openEngine({ readView: reading(long, 1) })
    const ofBytes = await follow(service(textOf(''), other))
    // A character of a text takes two bytes in memory.
    expect(pathsBy(ofBytes)).toEqual([
      [
        [9, 1],
        [8, 1],
      ],
      [
        [7, 1],
        [6, 1],
      ],
    ])
    await other.close()
  })

  it('has other limits as far as -- max rows says', () => {
    const maxRows = (text: string) => viewEndpoint(text, 'v', readFrontMatter(text))
    expect(maxRows(textOf('')).maxRows).toBe(100_000)
    expect(validateEndpoint(maxRows(textOf('-- max rows: 100000\n')))).toBeUndefined()
    expect(() => maxRows(textOf('-- max rows: 100001\n'))).toThrow(
      'max rows: 100001 is not a number from 1 to 100000 (line 2)',
    )
  })

  it(`goes on through all rows once, of files and of rows in memory, seed ${testSeed()}`, {
    timeout: 60_000,
  }, async () => {
    const random = mulberry32(testSeed())
    const text = textOf('-- max rows: 7\n')
    const world = await openWorld()
    world.setViews({ v: text }, 400 * 24 * HOUR_US)
    const expected = new Map<string, number>()
    const record = (id: string) => {
      const [project, hours, path] = [oneOf(random, ['a', 'b']), below(random, 60), `/${below(random, 12)}`]
      const timestampUs = Number(world.clock.nowUs()) - hours * HOUR_US
      const key = JSON.stringify([Math.floor(timestampUs / HOUR_US), path])
      if (project === 'a') expected.set(key, (expected.get(key) ?? 0) + 1)
      return edge({ id, project, timestampUs, metadata: { request: { path } } })
    }
    for (let round = 0; round < 4; round++) {
      await world.append(Array.from({ length: 60 }, (_, i) => record(`${round}-${i}`)))
      if (round < 2) await world.engine.seal()
      if (round < 1) await world.work.finish()
    }
    const answers = await follow(service(text, world.engine))
    expect(answers.length).toBeGreaterThan(5)
    const found = answers.flatMap(({ rows }) => rows.map(([hour, path, n]) => [JSON.stringify([hour, path]), n]))
    expect(found.sort()).toEqual([...expected].sort())
    await world.close()
  })
})
