import { describe, expect, it } from 'vitest'
import { dueInstant } from '../../src/alerts/states/timing.js'
import { DAY_US, SECOND_US } from '../../src/base/units.js'

const at = (s: number) => s * SECOND_US
const due = (nowS: number, lastS: number | undefined, armedS = 0) =>
  dueInstant(at(30), { nowUs: at(nowS), armedUs: at(armedS), lastUs: lastS === undefined ? undefined : at(lastS) })

describe('the instant that is due', () => {
  it('is the latest multiple of every since 1970', () => {
    expect(due(61, undefined)).toEqual({ instantUs: at(60), skipped: 0 })
    expect(due(60, 30)).toEqual({ instantUs: at(60), skipped: 0 })
    expect(dueInstant(DAY_US, { nowUs: 3 * DAY_US + 7, armedUs: 0, lastUs: 2 * DAY_US })).toEqual({
      instantUs: 3 * DAY_US,
      skipped: 0,
    })
  })

  it('counts missed instants', () => {
    expect(due(150, 30)).toEqual({ instantUs: at(150), skipped: 3 })
    // The rule had another `every` before.
    expect(due(90, 55)).toEqual({ instantUs: at(90), skipped: 1 })
  })

  it('is none before the next instant, before the start and after a clock was set back', () => {
    expect(due(59, 30)).toBeUndefined()
    expect(due(61, 30, 60.5)).toBeUndefined()
    expect(due(60, 60)).toBeUndefined()
    expect(due(60, 3600)).toBeUndefined()
  })
})
