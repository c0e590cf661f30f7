import { describe, expect, it } from 'vitest'
import { createRowJson } from '../../src/http/formats/json.js'
import { readSql } from '../../src/sql/read-sql.js'
import { appendAll, openEngine } from '../support/engine.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { fileMaker, NOW_US, rowsOf } from './ask.js'
import { expectRows } from './expect-rows.js'
import { parsedRows } from './parsed-rows.js'
import { LINE_QUERIES } from './queries/all.js'
import { linesOf } from './queries/oracle.js'
import { sampleLines } from './sample.js'

const LINES = runs(10_000)
const SEED = testSeed()

/** Writes lines to three files, with line breaks of every kind. */
function filesOf(lines: readonly string[]): string[] {
  const write = fileMaker()
  const third = Math.ceil(lines.length / 3)
  return ['\n', '\r\n', '\n\n \n'].map((end, i) => write(lines.slice(i * third, (i + 1) * third).join(end)))
}

describe(`the rows of queries over lines, seed ${SEED}`, () => {
  const [sure, odd] = [false, true].map((hasOddTimes) => sampleLines(LINES, SEED, { hasOddTimes }))

  it.each(LINE_QUERIES.filter(({ rows }) => rows))('are those of JSON.parse: $sql', async ({ sql, rows }) => {
    const expected = rows!(linesOf(odd!))
    expectRows(sql, await rowsOf(sql, filesOf(odd!)), expected)
  })

  it('are those of an engine that has the records', async () => {
    const { registerSource } = await import('../../src/common/sources.js')
    registerSource('own_lines')
    const engine = openEngine()
    const records = linesOf(sure!).map(({ us, line }, i) => {
      return { source: 'own_lines', id: `${i}`, timestampUs: us!, project: null, event_message: line, metadata: line }
    })
    await appendAll(engine, records, 5_000)
    const files = filesOf(sure!)
    const compared = LINE_QUERIES.filter(({ isOfService = true }) => isOfService)
    for (const { sql } of compared) {
      const isOrdered = /\border by\b/.test(sql)
      expectRows(sql, await rowsOf(sql, files), await storedRows(engine, sql), isOrdered)
    }
    expect(compared.length).toBeGreaterThan(85)
    await engine.close()
  })
})

/** The rows of the query that has the names of the service. */
async function storedRows(engine: ReturnType<typeof openEngine>, sql: string) {
  const named = sql.replace(/\bline\b/g, 'event_message').replace(/\blines\b/g, 'own_lines')
  const text = named.replace('select event_message from', 'select event_message as line from')
  const rowJson = createRowJson()
  let ndjson = ''
  for await (const row of await engine.run(readSql(text).plan({}, NOW_US))) ndjson += `${rowJson(row)}\n`
  return parsedRows(ndjson)
}
