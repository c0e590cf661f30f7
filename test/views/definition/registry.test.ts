import { describe, expect, it } from 'vitest'
import { HOUR_US } from '../../../src/base/units.js'
import { viewDefinition } from '../../../src/views/definition/definition.js'
import { readableViews } from '../../../src/views/definition/registry.js'

const TEXT = 'select timestamp_trunc(timestamp, hour) as hour, count(*) as n from edge_logs group by hour'
const view = (name: string) => viewDefinition(TEXT, { name, keepUs: HOUR_US, place: { line: 1, column: 1 } })

describe('the views that SQL reads', () => {
  it('are found by their names, in any case, and first as spelled', () => {
    const [lower, upper, old] = [view('edge.hours'), view('Edge.Hours'), view('edge.hours@2026-11-28')]
    const { find, names } = readableViews([lower!, upper!, old!])
    expect(find('edge.hours')).toBe(lower)
    expect(find('Edge.Hours')).toBe(upper)
    expect(find('EDGE.HOURS')).toBe(upper)
    expect(find('EDGE.hours@2026-11-28')).toBe(old)
    expect(find('edge')).toBeUndefined()
    expect(find('__proto__')).toBeUndefined()
    expect(names()).toEqual(['edge.hours', 'Edge.Hours', 'edge.hours@2026-11-28'])
  })
})
