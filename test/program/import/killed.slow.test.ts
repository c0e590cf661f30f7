import { it } from 'vitest'
import { describeWhere } from '../../clickhouse/needs.js'
import { expectEachRowOnce } from '../support/killed-imports.js'
import { findPostgres, WHY_NO_POSTGRES } from '../support/postgres.js'

describeWhere(findPostgres(), 'postgresql', WHY_NO_POSTGRES, 'a large import that is killed', () => {
  it('keeps to its memory, and continues: of 1,000,000 rows and 3 kills, each row is stored once', () =>
    expectEachRowOnce(1_000_000, 3, { leastPartial: 3 }))
})
