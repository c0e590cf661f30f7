import { expect, it } from 'vitest'
import { createAllowance } from '../../../src/http/tail/allowance.js'
import { createPace } from '../../../src/http/tail/pace.js'
import { createFakeClock } from '../../support/clock.js'
import { pass, settle } from '../support.js'

it('an allowance is for so much at once, then for so much a second', () => {
  const clock = createFakeClock()
  const isAllowed = createAllowance(100, 250, clock)
  expect([isAllowed(200), isAllowed(51), isAllowed(50), isAllowed(1)]).toEqual([true, false, true, false])
  clock.advance(500)
  expect([isAllowed(51), isAllowed(50)]).toEqual([false, true])
  clock.advance(60_000)
  expect([isAllowed(251), isAllowed(250)]).toEqual([false, true])
})

it('a pace lets go on at once, then so much a second, who asks first first, whatever he asks for', async () => {
  const clock = createFakeClock()
  const pace = createPace(100, 50, clock)
  const gone: number[] = []
  const ask = (number: number, bytes: number) => void Promise.resolve(pace(bytes)).then(() => gone.push(number))
  ask(1, 60)
  for (const [number, bytes] of [
    [2, 200],
    [3, 10],
    [4, 10],
  ] as const)
    ask(number, bytes)
  await settle()
  expect([gone, clock.timers]).toEqual([[1], 1])
  await pass(clock, 1)
  expect(gone).toEqual([1, 2])
  await pass(clock, 1)
  expect(gone).toEqual([1, 2])
  await pass(clock, 1)
  expect([gone, clock.timers]).toEqual([[1, 2, 3, 4], 0])
  expect(pace(10)).toBeUndefined()
})
