import { afterAll, describe, expect, it } from 'vitest'
import { openEngine } from '../support/engine.js'
import { anyMoment, FIRST_US, LAST_US, spelled } from '../support/far-times.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { answerOf } from './answer.js'
import { query } from './cases/case.js'

const RUNS = runs(2_000)

/** Random times, of which some are neighbours and some are equal. */
function randomTimes(random: Random): bigint[] {
  const times = Array.from({ length: 1 + below(random, 8) }, () => anyMoment(random))
  const beside = times.map((us) => us + BigInt(below(random, 3) - 1)).filter((us) => us >= FIRST_US && us <= LAST_US)
  return [...times, ...beside]
}

/** A time as a literal, in a random form. */
const literalOf = (random: Random, us: bigint) =>
  oneOf(random, [
    `timestamp '${spelled(us)}'`,
    `cast('${spelled(us)}+00' as timestamp)`,
    `timestamp_micros(${us})`,
    `parse_timestamp('%F %H:%M:%E6S', '${spelled(us)}')`,
    `timestamp_add(timestamp '1970-01-01', interval ${us} microsecond)`,
    `timestamp(datetime '${spelled(us)}')`,
  ])

const ascending = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)

/** A whole query over times, and the texts of the rows. */
function randomQuery(random: Random): { sql: string; rows: readonly string[] } {
  const times = randomTimes(random)
  const from = `(${times.map((us) => `select ${literalOf(random, us)} as t`).join(' union all ')})`
  const bound = oneOf(random, times)
  const other = literalOf(random, bound)
  const distinct = [...new Set(times)].sort(ascending)
  const [least, most] = [distinct[0]!, distinct.at(-1)!]
  const counts = distinct.map((us) => [us, times.filter((one) => one === us).length] as const)
  return oneOf(random, [
    {
      sql: `select t, count(*) as n from ${from} group by t order by t`,
      rows: counts.map(([us, n]) => `{"t":${us},"n":${n}}`),
    },
    {
      sql: `select distinct t from ${from} order by t desc`,
      rows: distinct.toReversed().map((us) => `{"t":${us}}`),
    },
    {
      sql: `select min(t) as a, max(t) as b, count(distinct t) as n, countif(t = ${other}) as e from ${from}`,
      rows: [`{"a":${least},"b":${most},"n":${distinct.length},"e":${counts.find(([us]) => us === bound)![1]}}`],
    },
    {
      sql: `select unix_micros(t) as m from ${from} where t > ${other} order by m`,
      rows: [...times].sort(ascending).flatMap((us) => (us > bound ? [`{"m":${us}}`] : [])),
    },
    {
      sql: `select distinct t from ${from} where t in (select t from ${from} where t != ${other}) order by 1`,
      rows: distinct.flatMap((us) => (us === bound ? [] : [`{"t":${us}}`])),
    },
    {
      sql: `select timestamp_diff(t, ${other}, microsecond) as d from ${from} order by d`,
      rows: [...times].sort(ascending).map((us) => `{"d":${us - bound}}`),
    },
  ])
}

describe('random queries over times of the years 1 to 9999', () => {
  const engine = openEngine()
  afterAll(() => engine.close())

  it('have the rows that BigInt says', async () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    for (let run = 0; run < RUNS; run++) {
      const { sql, rows } = randomQuery(random)
      expect(await answerOf(engine, query('', sql, [])), `seed ${seed}, run ${run}: ${sql}`).toEqual({ rows })
    }
  })
})
