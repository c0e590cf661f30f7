import { describe, expect, it } from 'vitest'
import { createSettledTime, type SettledTime } from '../../../src/base/time/settled-time.js'
import { DAY_US, MINUTE_US } from '../../../src/base/units.js'

const START_US = 1_800_000_000_000_000

function recordMinutes(time: SettledTime, count: number, firstUs: number): void {
  for (let i = 0; i < count; i++) time.record(firstUs + i * MINUTE_US)
}

describe('settled time', () => {
  it('is an hour behind a clock that runs', () => {
    const time = createSettledTime()
    recordMinutes(time, 61, START_US)
    expect(time.settledUs()).toBe(START_US)
    recordMinutes(time, 100, START_US + 61 * MINUTE_US)
    expect(time.settledUs()).toBe(START_US + 100 * MINUTE_US)
  })

  it('is no time in the first hour of a process', () => {
    const time = createSettledTime()
    expect(time.settledUs()).toBe(Number.NEGATIVE_INFINITY)
    recordMinutes(time, 60, START_US)
    expect(time.settledUs()).toBe(Number.NEGATIVE_INFINITY)
  })

  it('does not follow a jump that is set back within an hour', () => {
    const time = createSettledTime()
    recordMinutes(time, 61, START_US)
    const jumpUs = START_US + 61 * MINUTE_US + 40 * DAY_US
    recordMinutes(time, 60, jumpUs)
    expect(time.settledUs()).toBe(START_US + 60 * MINUTE_US)
    recordMinutes(time, 1, START_US + 121 * MINUTE_US)
    expect(time.settledUs()).toBe(START_US + 121 * MINUTE_US)
  })

  it('follows a clock that is set back at once', () => {
    const time = createSettledTime()
    recordMinutes(time, 200, START_US)
    time.record(START_US - DAY_US)
    expect(time.settledUs()).toBe(START_US - DAY_US)
  })
})
