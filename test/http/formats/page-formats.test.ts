import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endpointsOf } from '../../../src/endpoints/index.js'
import { csvFormat } from '../../../src/http/formats/csv.js'
import { jsonFormat } from '../../../src/http/formats/json.js'
import { ndjsonFormat } from '../../../src/http/formats/ndjson.js'
import { encodeAll } from '../../../src/http/reply/chunks.js'
import { membersIn, rowsIn } from '../../../src/page/api/raw-rows.js'
import { createWriter, type ExportRow, FORMAT_INFO, FORMATS, type Format } from '../../../src/page/export/formats.js'
import type { AnswerColumn, Row } from '../../../src/plan/answer.js'
import { API_COUNTS_CASES } from '../../cases/api-counts.js'
import { INVOCATION_STATS_CASES } from '../../cases/invocation-stats.js'
import { LOGS_ALL_CASES } from '../../cases/logs-all.js'
import { LOGS_EXPLORE_CASES } from '../../cases/logs-explore.js'
import { LOGS_FIELDS_CASES } from '../../cases/logs-fields.js'
import { LOGS_HISTOGRAM_CASES } from '../../cases/logs-histogram.js'
import { createFakeClock } from '../../support/clock.js'
import { appendAll, openEngine } from '../../support/engine.js'
import { edge } from '../../support/records.js'
import { partOf } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { sqlPath } from '../sql/support.js'
import { createTestApp } from '../support.js'
import { columnsAndRows } from './any-rows.js'

const SERVICE = { csv: csvFormat, ndjson: ndjsonFormat, json: jsonFormat }

async function* asRows(rows: readonly Row[]): AsyncGenerator<Row> {
  yield* rows
}

/** Returns the answer of the service. */
const answered = async (rows: readonly Row[], columns: readonly AnswerColumn[], format: Format) =>
  Buffer.from(await encodeAll(asRows(rows), SERVICE[format].encoder(columns))).toString()

/** Returns the text that the page writes, in pages of a few rows. */
function written(rows: readonly ExportRow[], format: Format, columns?: readonly string[], pageRows = 2): string {
  const writer = createWriter(format, columns)
  let text = ''
  for (let i = 0; i < rows.length; i += pageRows) text += writer.rows(rows.slice(i, i + pageRows))
  // As UTF-8, in which a half of a surrogate pair is another sign.
  return Buffer.from(text + writer.end()).toString()
}

describe('rows of any values', () => {
  test.each(FORMATS)('are written in %s as the service does', async (format) => {
    await fc.assert(
      fc.asyncProperty(columnsAndRows, fc.integer({ min: 1, max: 5 }), async ([columns, rows], pageRows) => {
        const sent = rowsIn(await answered(rows, columns, 'json'))
        const names = columns.map(({ name }) => name)
        expect(written(sent, format, names, pageRows)).toBe(await answered(rows, columns, format))
      }),
    )
  })

  test('are found in an answer with white space, and their members as they are spelled', async () => {
    const body =
      '{ "result" : [ {"a" : 1.50 , "b":"}\\\\\\"]," }\n, { } ,{"a":[{"x":"]"} ] , "a" : {"\\u00e9": tru } }] }'
    expect(rowsIn(body)).toEqual([
      '{"a" : 1.50 , "b":"}\\\\\\"]," }',
      '{ }',
      '{"a":[{"x":"]"} ] , "a" : {"\\u00e9": tru } }',
    ])
    expect(rowsIn(body).map((row) => [...membersIn(row)])).toEqual([
      [
        ['a', '1.50'],
        ['b', '"}\\\\\\"],"'],
      ],
      [],
      [['a', '{"\\u00e9": tru }']],
    ])
    expect([rowsIn('{"result":[]}'), rowsIn('{"result":[{"a":'), rowsIn('')]).toEqual([[], ['{"a":'], []])
  })

  test('end without rows as the answer does', () => {
    expect(FORMATS.map((format) => written([], format, ['a', 'b"']))).toEqual(['a,"b"""\r\n', '', '{"result":[]}'])
    expect(FORMATS.map((format) => written([], format))).toEqual(['', '', '{"result":[]}'])
  })
})

/** Expects that the page writes each format as the service does. Returns the number of rows. */
async function compare(get: (path: string, init?: RequestInit) => Promise<Response>, path: string): Promise<number> {
  const textOf = async (type: string) => {
    const reply = await get(path, { headers: { Accept: type } })
    const text = await reply.text()
    expect([reply.status, reply.ok ? '' : text]).toEqual([200, ''])
    return text
  }
  const body = await textOf('application/json')
  const rows = rowsIn(body)
  expect(rows.length).toBe((JSON.parse(body) as { result: object[] }).result.length)
  const csv = await textOf('text/csv')
  for (const format of FORMATS) {
    // The names of the columns are the names in the rows, if there are any rows.
    const columns = rows.length === 0 ? csv.trimEnd().split(',') : undefined
    expect([format, written(rows, format, columns)]).toEqual([format, await textOf(FORMAT_INFO[format].type)])
  }
  return rows.length
}

describe('answers of the service', () => {
  const cases = [
    ...LOGS_ALL_CASES,
    ...INVOCATION_STATS_CASES,
    ...API_COUNTS_CASES,
    ...LOGS_EXPLORE_CASES,
    ...LOGS_HISTOGRAM_CASES,
    ...LOGS_FIELDS_CASES,
  ].filter(({ records }) => records.length < 1_000)

  test.each(
    partOf(cases, 5, testSeed()),
  )('$name: the page writes each format as the service answers it', async (one) => {
    const clock = createFakeClock(one.nowUs)
    const engine = openEngine({ clock })
    await appendAll(engine, one.records)
    const { get, app } = createTestApp({ engine, clock })
    await compare(get, `/api/endpoints/query/${one.endpoint}?${new URLSearchParams(one.params)}`)
    app.close()
    await engine.close()
  })

  test('to SQL are written too', async () => {
    const engine = openEngine()
    const metadata = '{"b": 1,"10":2,"2":1.50,"x":"\\u00e9\\/,\\n","n":12345678901234567890,"l":[{"a":"q"}],"e":""}'
    await appendAll(engine, [edge({ metadata }), edge({ metadata: '{}', event_message: ' "a",\r\n' })])
    const endpoints = endpointsOf({ loadCompiler: () => import('../../../src/sql/read-sql.js') })
    const { get, app } = createTestApp({ engine, endpoints })
    const columns = [
      'select * from edge_logs',
      'select metadata, metadata.n as n, metadata.l as l, metadata.e, event_message as `a "b"` from edge_logs',
      "select count(*) as n, 1.5 as half, 1e300 as large, null as none, true as yes, '' as empty from edge_logs",
      "select timestamp, cast(timestamp as string) as t, json_value(metadata, '$.x') as x from edge_logs",
    ]
    for (const sql of columns) expect(await compare(get, sqlPath(sql))).toBeGreaterThan(0)
    app.close()
    await engine.close()
  })
})
