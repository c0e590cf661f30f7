import { describe, expect, it } from 'vitest'
import { allSourceNames, allSources } from '../../src/common/sources.js'
import { EXPLORE_PARAMS, exploredRange } from '../../src/endpoints/explore-params.js'

const { source, filter } = EXPLORE_PARAMS
const HOUR_US = 3_600e6

describe('the parameters of the log explorer', () => {
  it('name a source by its name or its alias', () => {
    for (const { name, alias = name } of allSources()) {
      expect(source.read(name, 'source')).toBe(name)
      expect(source.read(alias, 'source')).toBe(name)
    }
    const message = `The parameter "source" is no source. Give it one of ${allSourceNames().join(', ')}.`
    for (const text of ['edge', 'EDGE_LOGS', 'edge_logs ', '__proto__'])
      expect(() => source.read(text, 'source')).toThrow(message)
    expect(() => source.read(undefined, 'source')).toThrow('The parameter "source" is missing or empty.')
  })

  it('have a range from the start, before the end, of an hour by default', () => {
    const end = Number.POSITIVE_INFINITY
    expect(exploredRange({ start: 5, end: 9 }, 99)).toEqual({ fromUs: 5, throughUs: 8 })
    expect(exploredRange({ start: undefined, end: HOUR_US }, 99)).toEqual({ fromUs: 0, throughUs: HOUR_US - 1 })
    expect(exploredRange({ start: undefined, end: undefined }, HOUR_US)).toEqual({ fromUs: 0, throughUs: end })
    expect(exploredRange({ start: 5, end: undefined }, 99)).toEqual({ fromUs: 5, throughUs: end })
  })

  it('have no condition if the filter is absent or empty', () => {
    expect([filter.read(undefined, 'filter'), filter.read('[]', 'filter')]).toEqual([undefined, undefined])
  })
})
