import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US, MINUTE_US } from '../../../src/base/units.js'
import { readKeep } from '../../../src/views/definition/keep.js'

const keep = (value: string) => readKeep({ value, line: 2, column: 10 })

describe('the time for which a view keeps its groups', () => {
  it('is from an hour to ten years', () => {
    expect(keep('keep 400d')).toBe(400 * DAY_US)
    expect(keep('KEEP  1h')).toBe(HOUR_US)
    expect(keep('keep 90 m')).toBe(90 * MINUTE_US)
    expect(keep('keep 3650d')).toBe(3_650 * DAY_US)
    const range = 'a view keeps its groups from 1h to 3650d, not'
    expect(() => keep('keep 59m')).toThrow(`${range} 59m (line 2, column 10)`)
    expect(() => keep('keep 3651d')).toThrow(`${range} 3651d (line 2, column 10)`)
  })

  it('is refused with its place if it has another form', () => {
    for (const value of ['400d', 'keep', 'keep 1y', 'keep 400d, 3d', 'keep forever', 'keep -1d', 'kept 3d'])
      expect(() => keep(value), value).toThrow(
        `view: ${value} is not understood. Write "keep 400d"; units s, m, h, d (line 2, column 10)`,
      )
  })
})
