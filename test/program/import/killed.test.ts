import { it } from 'vitest'
import { describeWhere } from '../../clickhouse/needs.js'
import { expectEachRowOnce } from '../support/killed-imports.js'
import { findPostgres, WHY_NO_POSTGRES } from '../support/postgres.js'

/** Four imports, a database and five readings of the directory. */
const WITHIN_MS = 180_000

describeWhere(findPostgres(), 'postgresql', WHY_NO_POSTGRES, 'an import that is killed', () => {
  it(
    'continues: of 40,000 rows and 3 kills, each row is stored once',
    () => expectEachRowOnce(40_000, 3, { withinMs: 60, leastPartial: 2 }),
    WITHIN_MS,
  )
})
