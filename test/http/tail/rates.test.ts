import { expect, it } from 'vitest'
import { createTokenBucket } from '../../../src/base/scheduling/token-bucket.js'
import { createSendRate } from '../../../src/http/tail/send-rate.js'
import { createFakeClock } from '../../support/clock.js'
import { pass, settle } from '../support.js'

it('an allowance is for so much at once, then for so much a second', () => {
  const clock = createFakeClock()
  const bucket = createTokenBucket({ capacity: 250, tokensPerMs: 100 / 1000 }, clock)
  const isAllowed = (bytes: number) => bucket.take(bytes) === 0
  expect([isAllowed(200), isAllowed(51), isAllowed(50), isAllowed(1)]).toEqual([true, false, true, false])
  clock.advance(500)
  expect([isAllowed(51), isAllowed(50)]).toEqual([false, true])
  clock.advance(60_000)
  expect([isAllowed(251), isAllowed(250)]).toEqual([false, true])
})

it('a pace lets go on at once, then so much a second, who asks first first, whatever he asks for', async () => {
  const clock = createFakeClock()
  const sendRate = createSendRate(100, 50, clock)
  const sent: number[] = []
  const ask = (number: number, bytes: number) => void Promise.resolve(sendRate(bytes)).then(() => sent.push(number))
  ask(1, 60)
  for (const [number, bytes] of [
    [2, 200],
    [3, 10],
    [4, 10],
  ] as const)
    ask(number, bytes)
  await settle()
  expect([sent, clock.timers]).toEqual([[1], 1])
  await pass(clock, 1)
  expect(sent).toEqual([1, 2])
  await pass(clock, 1)
  expect(sent).toEqual([1, 2])
  await pass(clock, 1)
  expect([sent, clock.timers]).toEqual([[1, 2, 3, 4], 0])
  expect(sendRate(10)).toBeUndefined()
})
