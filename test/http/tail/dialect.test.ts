import { expect, test } from 'vitest'
import { LOGFLARE_DIALECT } from '../../../src/http/reply/dialect.js'
import { createTailApp, notices } from './support.js'

test("in Logflare's dialect the reasons of a tail nest message and code", async () => {
  const { app, tail, bring, clock } = createTailApp({ dialect: LOGFLARE_DIALECT, limits: { missedRows: 1 } })
  await bring({ id: 'before' })
  const { lastEventId } = (await tail()).stream().events[0]!
  const nowUs = clock.nowUs()
  clock.advance(1_000)
  await bring({ id: '1', timestampUs: nowUs + 1 }, { id: '2', timestampUs: nowUs + 2 })
  const reader = await tail(lastEventId)
  app.beginStop(0)
  await reader.ended
  expect(reader.ids()).toEqual(['2'])
  expect(notices(reader)).toEqual([
    { type: 'gap', error: { message: expect.any(String), code: 'gap' }, from: nowUs + 2 },
    { type: 'dropped', error: { message: expect.any(String), code: 'stopping' } },
  ])
})
