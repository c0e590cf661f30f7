import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/page/api/columns.js'

describe('columnsOf', () => {
  it('reads numbers and times, and NaN where there is nothing', () => {
    const answer = '{"result":[{"t":"2026-11-20T10:00:00","n":1.5},{"t":1763632801000000,"n":null},{"t":0}]}'
    expect(columnsOf(answer, ['t', 'n'])).toEqual({
      t: Float64Array.of(Date.UTC(2026, 10, 20, 10) * 1_000, 1_763_632_801_000_000, 0),
      n: Float64Array.of(1.5, Number.NaN, Number.NaN),
    })
    expect(columnsOf('{"result":[]}', ['n'])).toEqual({ n: new Float64Array() })
    expect(() => columnsOf('<html>', ['n'])).toThrow(SyntaxError)
  })

  it('reads dates, and fractions of seconds', () => {
    const answer = '{"result":[{"t":"2026-11-20"},{"t":"2026-11-20T10:00:00.250000"},{"t":"soon"}]}'
    const day = Date.UTC(2026, 10, 20) * 1_000
    expect(columnsOf(answer, ['t']).t).toEqual(Float64Array.of(day, day + 36_000.25e6, Number.NaN))
  })
})
