import { describe, expect, it } from 'vitest'
import { MIB } from '../../src/base/units.js'
import { compileLines } from '../../src/lines/execute/compile.js'
import { runLines } from '../../src/lines/run-lines.js'
import { createNameCheck } from '../../src/lines/scan/name-check.js'
import { createReport } from '../../src/lines/scan/report.js'
import type { Row } from '../../src/plan/answer.js'
import { fileMaker, NOW_US } from './ask.js'

const LINES = 20_000
const CONTENT = Array.from(
  { length: LINES },
  (_, seq) => `{"seq":${seq},"key":"${seq % 10}","text":"${seq} text"}\n`,
).join('')

/** Runs a query over lines with different texts. Its groups and sorted rows take at most so much memory. */
async function rowsOf(sql: string, limitBytes: number, content = CONTENT): Promise<Row[]> {
  const source = { paths: [fileMaker()(content)], timeField: undefined }
  const { plan } = compileLines(sql, NOW_US)
  const rows: Row[] = []
  const run = { plan, source, inThreads: undefined, limitBytes, report: createReport(), names: createNameCheck(plan) }
  for await (const output of runLines(run)) if ('row' in output) rows.push(output.row)
  return rows
}

describe('the memory of a query over lines', () => {
  it.each([
    'select text, count(*) as n from lines group by text',
    'select distinct text from lines',
    'select count(distinct concat(text, line)) as n from lines',
    'select string_agg(concat(text, line)) as n from lines',
    'select array_agg(line) as n from lines',
    'select seq, text from lines order by text',
    'select max(n) as n from (select text, count(*) as n from lines group by text)',
  ])('is limited: %s', async (sql) => {
    await expect(rowsOf(sql, MIB)).rejects.toMatchObject({
      code: 'too_much_memory',
      message: expect.stringContaining('more than 1 MiB of rows and groups'),
    })
  })

  it.each<[sql: string, rows: number]>([
    ['select seq, text from lines', LINES],
    ["select seq from lines where text like '%9 text'", LINES / 10],
    ['select key, count(*) as n, sum(seq) as s, max(text) as t from lines group by key', 10],
    ['select seq from lines order by text desc limit 20', 20],
    ['select seq from lines limit 20', 20],
  ])('is enough for what is small: %s', async (sql, rows) => expect(await rowsOf(sql, 4 * MIB)).toHaveLength(rows))

  it('is enough for a block of the shortest lines, in their order', async () => {
    const many = 150_000
    expect(await rowsOf('select a, b, c, timestamp, line from lines', 8 * MIB, '{}\n'.repeat(many))).toHaveLength(many)
    const numbers = Array.from({ length: 100_000 }, (_, a) => `{"a":${a}}\n`).join('')
    const rows = await rowsOf('select a from lines where a > 1', 8 * MIB, numbers)
    expect(rows.every(({ a }, i) => a === i + 2)).toBe(true)
    expect(rows).toHaveLength(99_998)
  })
})
