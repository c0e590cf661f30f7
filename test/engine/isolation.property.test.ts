import { it } from 'vitest'
import { runs } from '../support/runs.js'
import { expectIsolatedPlans } from './isolation.js'

const RUNS = runs(500)

it(
  'a plan of one project answers as if the rows of others, for which it fails, were not stored',
  () => expectIsolatedPlans(RUNS),
  300_000 + RUNS * 1_000,
)
