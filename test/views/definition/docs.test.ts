import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../../src/base/errors.js'
import { DAY_US } from '../../../src/base/units.js'
import type { FunctionName } from '../../../src/plan/functions/table.js'
import { ROW_RULES } from '../../../src/plan/row-rules.js'
import { viewDefinition } from '../../../src/views/definition/definition.js'
import { NOT_MERGED } from '../../../src/views/definition/refusals.js'
import { documentAt, tablesOf, wordsIn } from '../../docs/documents.js'

const PAGE = documentAt('docs/views.md')!
const [, FORM, FUNCTIONS] = tablesOf(PAGE)

/** The error of a view with an expression as a key, a condition or an aggregate. */
function faultOf(expression: string): string | undefined {
  const isAggregate = /\b(?:sum|count|min|any_value|array_agg|string_agg|approx_count_distinct)\(/.test(expression)
  const isCondition = /^request\.path (?:=|in)|current_timestamp/.test(expression)
  const text = `select timestamp_trunc(timestamp, hour) as hour, ${isAggregate ? expression : '1'} as x
    from edge_logs ${isCondition ? `where ${expression}` : ''}
    group by hour${isAggregate || isCondition ? '' : `, ${expression}`}`
  try {
    viewDefinition(text, { name: 'v', keepUs: DAY_US, place: { line: 1, column: 1 } })
    return undefined
  } catch (error) {
    if (!(error instanceof LogweirError) || error.code !== 'usage') throw error
    return error.message
  }
}

/** The expressions in a cell, in code. Words such as `start` are no expressions. */
const expressionsIn = (cell: string) => wordsIn(cell).filter((word) => /\W/.test(word) && word !== 'group by')

describe('docs/views.md', () => {
  it('names what the form refuses, and what to write instead', () => {
    const rows = FORM!.rows
    expect(rows.length).toBe(6)
    for (const [refused, instead] of rows) {
      for (const expression of expressionsIn(refused!)) expect(faultOf(expression), expression).toBeDefined()
      for (const expression of expressionsIn(instead!)) expect(faultOf(expression), expression).toBeUndefined()
    }
    const text = rows.map(([refused]) => refused).join()
    for (const call of NOT_MERGED.keys()) expect(text).toContain(call.replace(/x\)$/, ''))
  })

  it('names every function that can fail, and what to write instead', () => {
    const messages: string[] = []
    for (const [refused, instead] of FUNCTIONS!.rows) {
      for (const expression of expressionsIn(refused!)) {
        const message = faultOf(expression)
        expect(message, expression).toMatch(/can fail in a row, and would stop the view/)
        messages.push(expression)
      }
      for (const expression of expressionsIn(instead!)) expect(faultOf(expression), expression).toBeUndefined()
    }
    const text = messages.join('\n')
    // SQL over lines alone calls known_time, and always of a time.
    const fallible = (Object.keys(ROW_RULES) as FunctionName[]).filter(
      (fn) => ROW_RULES[fn] !== ROW_RULES.is_null && fn !== 'known_time',
    )
    expect(fallible.filter((fn) => !text.includes(SPELLED[fn] ?? fn))).toEqual([])
  })
})

/** How SQL spells functions that have another name in plans. Some are no functions of SQL. */
const SPELLED: Partial<Record<FunctionName, string>> = {
  or: ' or ',
  and: ' and ',
  not: 'not ',
  add: ' + ',
  sub: ' - ',
  mul: ' * ',
  div: ' / ',
  neg: '-a',
  cast_int64: 'as int64)',
  cast_float64: '::float64',
  cast_bool: 'as bool)',
  cast_timestamp: 'timestamp(a)',
  cast_datetime: 'datetime(a)',
  cast_date: 'date(a)',
  time_add: 'timestamp_add(',
  in_list: '',
  repeated: '',
  timestamp_bucket: '',
}
