import { describe, expect, it } from 'vitest'
import { MIB } from '../../src/base/units.js'
import { compileLines } from '../../src/lines/execute/compile.js'
import { createReport } from '../../src/lines/report.js'
import { runLines } from '../../src/lines/run-lines.js'
import type { Row } from '../../src/plan/answer.js'
import { fileMaker, NOW_US } from './ask.js'

const LINES = 20_000

/** Runs a query over lines with different texts, whose groups and sorted rows take at most so much memory. */
async function rowsOf(sql: string, limitBytes: number): Promise<Row[]> {
  const lines = Array.from({ length: LINES }, (_, seq) => `{"seq":${seq},"key":"${seq % 10}","text":"${seq} text"}\n`)
  const source = { paths: [fileMaker()(lines.join(''))], timeField: undefined }
  const { plan } = compileLines(sql, NOW_US)
  const rows: Row[] = []
  const run = { plan, source, inThreads: undefined, limitBytes, report: createReport() }
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
})
