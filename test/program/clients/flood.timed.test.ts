import { expect, it } from 'vitest'
import { expectCalm, flood } from '../support/flood.js'

/** More queries than may wait. The queries are light, so that waiting queries are served soon. */
const QUERIES = 400
const ROWS = 60_000
const light = (number: number) => `/api/endpoints/query/functions.invocation-stats?project=${number}`

const TITLE = [
  `O2: ${QUERIES} different queries at once behind heavy ones`,
  'are served or refused, and rows come in meanwhile',
].join(' ')

it(TITLE, async () => {
  const outcome = await flood(
    ROWS,
    Array.from({ length: QUERIES }, (_, i) => light(i)),
    'busy',
  )
  expectCalm(outcome)
  for (const status of [200, 503]) expect(outcome.answers.some((answer) => answer.status === status)).toBe(true)
})
