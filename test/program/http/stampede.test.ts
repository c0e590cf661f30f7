import { expect, it } from 'vitest'
import { dialAll } from '../support/at-once.js'
import { feedEdges, heavyQuestion } from '../support/feed.js'
import { serve } from '../support/program.js'

const CALLERS = 400
const ROWS = 40_000
const STORED = 'logweir; fwd=miss; stored'
const COLLAPSED = 'logweir; fwd=miss; collapsed'

it(`C1: ${CALLERS} callers at once on one cold key make one computation`, async () => {
  const service = await serve()
  await feedEdges(service, ROWS)
  const send = await dialAll(service, CALLERS)
  const answers = await send(Array.from({ length: CALLERS }, () => heavyQuestion(0)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  const from = answers.map(({ headers }) => headers.get('cache-status')!)
  expect(from.filter((status) => status === STORED).length).toBe(1)
  expect(from.filter((status) => status === COLLAPSED).length).toBeGreaterThan(CALLERS / 10)
  expect(from.filter((status) => ![STORED, COLLAPSED].includes(status) && !status.includes('; hit;'))).toEqual([])
  expect(await service.metric('logweir_scanned_rows_total')).toBe(ROWS)
})
