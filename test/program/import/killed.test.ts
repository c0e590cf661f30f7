import { it } from 'vitest'
import { describeWhere } from '../../clickhouse/needs.js'
import { expectEachRowOnce } from '../support/killed-imports.js'
import { findPostgres, WHY_NO_POSTGRES } from '../support/postgres.js'

/** Three imports, a database and four readings of the directory. */
const WITHIN_MS = 180_000

describeWhere(findPostgres(), 'postgresql', WHY_NO_POSTGRES, 'an import that is killed', () => {
  it(
    'continues: of 20,000 rows and 2 kills, each row is stored once',
    () => expectEachRowOnce(20_000, 2, { withinMs: 30, leastPartial: 1 }),
    WITHIN_MS,
  )
})
