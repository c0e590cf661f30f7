import { it } from 'vitest'
import { describeWhere } from '../../clickhouse/needs.js'
import { expectEachRowOnce } from '../support/killed-imports.js'
import { findPostgres, WHY_NO_POSTGRES } from '../support/postgres.js'

describeWhere(findPostgres(), 'postgresql', WHY_NO_POSTGRES, 'a large import that is killed', () => {
  it('continues: of 1,000,000 rows and 3 kills, each row is stored once', () =>
    expectEachRowOnce(1_000_000, 3, { withinMs: 8_000, leastPartial: 3, measures: true }))
})
