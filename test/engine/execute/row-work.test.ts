import { beforeAll, describe, expect, it } from 'vitest'
import type { ArrowEngine } from '../../../src/engine/store/engine.js'
import { limited } from '../../../src/plan/limited.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { times } from '../../support/costly-sql.js'
import { appendAll, openEngine, readAll } from '../../support/engine.js'
import { edge } from '../../support/records.js'

const LONG = 500_000
/** Enough calls for the evaluation of a row in slices. */
const MANY = 40

describe('rows with long texts and many calls', () => {
  let engine: ArrowEngine
  beforeAll(async () => {
    engine = openEngine()
    const message = (i: number) => (i === 3 ? 'x'.repeat(LONG) : `message ${i}`)
    await appendAll(
      engine,
      Array.from({ length: 6 }, (_, i) =>
        edge({ id: `${i}`, event_message: message(i), metadata: { text: message(i) } }),
      ),
    )
  })
  const rows = async (text: string) => readAll(await engine.run(limited(readSql(text).plan({}, 0), 100)))
  const lengths = [9, 9, 9, LONG, 9, 9]
  const sum = (of: string) => times(MANY, (i) => `length(concat(${of}, '${i % 10}')) + `)
  const sumOf = (length: number) => MANY * (length + 1)

  for (const of of ['event_message', 'metadata.text']) {
    it(`have the values of their expressions: ${of}`, async () => {
      expect(await rows(`select id, ${sum(of)} 0 as n from edge_logs order by id`)).toEqual(
        lengths.map((length, i) => ({ id: `${i}`, n: sumOf(length) })),
      )
    })

    it(`are filtered, grouped and sorted by them: ${of}`, async () => {
      expect(await rows(`select id from edge_logs where ${sum(of)} 0 = ${sumOf(LONG)}`)).toEqual([{ id: '3' }])
      expect(await rows(`select ${sum(of)} 0 as n, count(*) as c from edge_logs group by 1 order by 1`)).toEqual([
        { n: sumOf(9), c: 5 },
        { n: sumOf(LONG), c: 1 },
      ])
      expect(await rows(`select id from edge_logs order by ${sum(of)} 0 desc limit 1`)).toEqual([{ id: '3' }])
      expect(await rows(`select max(${sum(of)} 0) as n from edge_logs`)).toEqual([{ n: sumOf(LONG) }])
    })

    it(`raise the errors of the expressions that are evaluated, and no others: ${of}`, async () => {
      const fails = `cast(${of} as int64)`
      const never = `case when ${sum(of)} 0 > 0 then 1 else ${fails} end`
      expect(await rows(`select distinct ${never} as n from edge_logs`)).toEqual([{ n: 1 }])
      expect(await rows(`select id from edge_logs where id = '9' and ${fails} = ${sum(of)} 0`)).toEqual([])
      await expect(rows(`select ${sum(of)} ${fails} as n from edge_logs`)).rejects.toMatchObject({
        code: 'invalid_sql',
        message: expect.stringMatching(/^A value cannot be cast to int64: .* \(line 1, column \d+\)$/),
      })
    })

    it(`are refused if the texts made of one row are too long: ${of}`, async () => {
      const columns = times(200, (i) => `concat(${of}, '${i}') c${i},`)
      await expect(rows(`select ${columns} 1 from edge_logs`)).rejects.toMatchObject({
        code: 'too_much_memory',
        message: expect.stringMatching(/^The query makes more than 64 MiB of texts of one row\. Use fewer functions/),
      })
      const short = await rows(`select ${columns} 1 as x from edge_logs where id = '1'`)
      expect(short).toHaveLength(1)
    })
  }

  it('are refused if a row of the answer is too long', async () => {
    await expect(rows(`select ${times(40, (i) => `event_message c${i},`)} 1 from edge_logs`)).rejects.toMatchObject({
      code: 'too_much_memory',
    })
    expect(await rows(`select ${times(8, (i) => `event_message c${i},`)} 1 from edge_logs`)).toHaveLength(6)
  })
})
