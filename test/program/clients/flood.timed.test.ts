import { expect, it } from 'vitest'
import { expectCalm, flood } from '../support/flood.js'

/** More than may wait. They are light, so that those who wait are soon served. */
const QUERIES = 400
const ROWS = 60_000
const light = (number: number) => `/api/endpoints/query/functions.invocation-stats?project=${number}`

it(`O2: ${QUERIES} different queries at once behind heavy ones are served or refused, and rows come in meanwhile`, async () => {
  const outcome = await flood(
    ROWS,
    Array.from({ length: QUERIES }, (_, i) => light(i)),
    'busy',
  )
  expectCalm(outcome)
  for (const status of [200, 503]) expect(outcome.answers.some((answer) => answer.status === status)).toBe(true)
})
