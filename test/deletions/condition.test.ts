import { describe, expect, test } from 'vitest'
import { readCondition } from '../../src/deletions/condition.js'
import { call, column, field, literal } from '../../src/plan/expression.js'

const ofEdge = (text: string) => readCondition(text).of('edge_logs')

describe('a condition of a deletion', () => {
  test('reads columns, fields and hot columns', () => {
    expect(ofEdge("id = 'a'")).toEqual(call('eq', column('id'), literal('a')))
    expect(ofEdge('user.id = 7')).toEqual(call('eq', field('user.id'), literal(7)))
    expect(ofEdge('metadata.user.id = 7')).toEqual(call('eq', field('user.id'), literal(7)))
    expect(ofEdge('true')).toBeUndefined()
  })

  test.each([
    ["event_message like '%some text%'", 'contains', 'some text'],
    ["event_message like 'some\\\\_text%'", 'starts_with', 'some_text'],
    ["event_message like '%text'", 'ends_with', 'text'],
  ] as const)('%s is a search', (text, fn, searched) => {
    expect(ofEdge(text)).toEqual(call(fn, column('event_message'), literal(searched)))
  })

  test.each([
    ['', 'invalid_sql', "The condition is empty: write one, such as user_id = '42'. (line 1, column 1)"],
    ['id = ', 'invalid_sql', 'Expected an expression, found the end of the text. (line 1, column 6)'],
    ["id = 'a') or (true", 'invalid_sql', 'Expected the end of the condition, found ). (line 1, column 9)'],
    ['id = @id', 'unsupported_sql', 'The condition has the parameter @id: write its value. (line 1, column 6)'],
    ['count(*) > 1', 'invalid_sql', /^Aggregates are not covered in WHERE|count/],
    [
      'timestamp < current_timestamp()',
      'unsupported_sql',
      "current_timestamp changes until the rows are gone: write the time, as timestamp '2026-11-20'. " +
        '(line 1, column 13)',
    ],
    [
      'id in (select id from edge_logs)',
      'unsupported_sql',
      'A deletion decides each row by itself: write the values, as id in (…). (line 1, column 1)',
    ],
    [
      'cast(user.id as int64) = 1',
      'unsupported_sql',
      'cast can fail in a row, and would stop the deletion: write safe_cast(x as int64). (line 1, column 1)',
    ],
    [
      "event_message like '%a_b%'",
      'unsupported_sql',
      /^LIKE can fail in a row, and would stop the deletion: .*\(line 1, column 1\)$/,
    ],
    ['timestamp.day = 1', 'invalid_sql', /^timestamp is a timestamp and has no fields/],
  ] as const)('%s is refused', (text, code, message) => {
    expect(() => ofEdge(text)).toThrow(expect.objectContaining({ code }))
    expect(() => ofEdge(text)).toThrow(message)
  })
})
