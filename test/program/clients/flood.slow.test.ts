import { it } from 'vitest'
import { heavyQuestion } from '../support/feed.js'
import { expectCalm, flood } from '../support/flood.js'

const QUERIES = 200
const ROWS = 1_000_000

const TITLE = [
  `O2: ${QUERIES} heavy queries at once over ${ROWS} rows`,
  'are served or refused, and rows come in meanwhile',
].join(' ')

it(TITLE, async () => {
  expectCalm(
    await flood(
      ROWS,
      Array.from({ length: QUERIES }, (_, i) => heavyQuestion(i)),
      'idle',
    ),
  )
})
