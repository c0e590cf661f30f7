import { describe, expect, it } from 'vitest'
import { expressionKey } from '../../../src/plan/expression-key.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { NOW_US } from '../cases/case.js'

const TEXT = 'select 1 / response.status_code as x from edge_logs where cast(id as int64) > 1'

describe('the places of expressions', () => {
  it('are no part of a plan or its keys, so that equal texts share what is cached', () => {
    const [plan, moved] = [TEXT, `\n  ${TEXT}`].map((text) => readSql(text).plan({}, NOW_US))
    expect(moved).toEqual(plan)
    expect(JSON.stringify(moved)).toBe(JSON.stringify(plan))
    const keys = [plan, moved].map((one) =>
      one!.flatMap((operator) => (operator.op === 'filter' ? [expressionKey(operator.where)] : [])),
    )
    expect(keys[1]).toEqual(keys[0])
    expect(keys[0]).not.toEqual([])
  })
})
