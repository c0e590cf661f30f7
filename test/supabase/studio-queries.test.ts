import { describe, expect, it } from 'vitest'
import { answerColumns } from '../../src/plan/answer.js'
import { readSql } from '../../src/sql/read-sql.js'
import { API_REPORT, OTHER_REPORTS, TEMPLATES } from '../support/supabase/studio-reports.js'
import {
  chartQuery,
  countQuery,
  FILTERS,
  rowsQuery,
  singleQuery,
  TABLES,
  type TableName,
} from '../support/supabase/studio-tables.js'
import { unifiedChart, unifiedCounts, unifiedRows } from '../support/supabase/studio-unified.js'

const columnsOf = (sql: string) => answerColumns(readSql(sql).plan({}, 0)).map(({ name }) => name)
const FROM = '2026-11-24T12:00:00.000Z'

describe.each(Object.keys(TABLES) as TableName[])('the page of %s', (table) => {
  it.each([[], ...(FILTERS[table] ?? []).map((one) => [one])])('has queries with the filter %s', (...conditions) => {
    const given = conditions.filter((one) => one !== undefined)
    expect(columnsOf(rowsQuery(table, given))).toEqual(expect.arrayContaining(['id', 'timestamp', 'event_message']))
    expect(columnsOf(countQuery(table, given))).toEqual(['count'])
    for (const unit of ['minute', 'hour', 'day'] as const) {
      const columns = columnsOf(chartQuery(table, unit, FROM, given))
      expect(columns).toEqual(['timestamp', 'ok_count', 'error_count', 'warning_count'])
    }
    expect(columnsOf(singleQuery(table, 'an id'))).toEqual(['id', 'timestamp', 'event_message', 'metadata'])
  })
})

describe('unified logs', () => {
  const types = ['postgres', 'edge', 'postgrest', 'storage'] as const
  const filters = [
    "level IN ('error','warning')",
    "(pathname LIKE '%todos%' OR pathname LIKE '%a.png%')",
    "(LOWER(event_message) NOT LIKE LOWER('%relation%'))",
    "status NOT IN ('200')",
  ]

  it('have queries of rows, a chart and counts, with filters', () => {
    expect(columnsOf(unifiedRows(types, filters)).length).toBe(11)
    expect(columnsOf(unifiedChart(types, 'MINUTE'))).toContain('time_bucket')
    expect(columnsOf(unifiedCounts(['postgres', 'edge']))).toEqual(['dimension', 'value', 'count'])
    expect(columnsOf(unifiedCounts(types, filters))).toEqual(['dimension', 'value', 'count'])
  })
})

const REPORTS = { ...API_REPORT, ...OTHER_REPORTS, ...TEMPLATES }

it.each(Object.entries(REPORTS))('the report or template %s has a query', (_, sql) => {
  expect(columnsOf(sql).length).toBeGreaterThan(0)
})

describe('what Studio sends to Supabase, and is not covered', () => {
  const refused: [about: string, sql: string, code: string][] = [
    [
      'unified logs of functions and of auth join two sources',
      'select fel.id from function_edge_logs as fel cross join unnest(metadata) as m ' +
        'left join (select l.request_id from function_logs cross join unnest(metadata) as l) as agg ' +
        'on m.request_id = agg.request_id',
      'unsupported_sql',
    ],
    ['a source that is none', 'select id, timestamp from pooler_logs limit 1', 'invalid_sql'],
    ['the other dialect of its newest pages', "select log_attributes['a'] from logs", 'unsupported_sql'],
  ]

  it.each(refused)('%s', (_, sql, code) => {
    expect(() => columnsOf(sql)).toThrow(expect.objectContaining({ code }))
  })
})
