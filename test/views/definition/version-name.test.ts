import { describe, expect, it } from 'vitest'
import { nextVersionName, readVersionName, writeVersionName } from '../../../src/views/definition/version-name.js'

describe('the name of an old version', () => {
  it('has the day of the change, and a number from the second change of the day on', () => {
    const names: string[] = []
    const next = (view: string, day: string) => names.push(nextVersionName(view, day, names))
    next('edge.requests', '2026-11-28')
    next('edge.requests', '2026-11-28')
    next('edge', '2026-11-28')
    next('edge.requests', '2026-11-28')
    next('edge.requests', '2026-11-29')
    expect(names).toEqual([
      'edge.requests@2026-11-28',
      'edge.requests@2026-11-28.2',
      'edge@2026-11-28',
      'edge.requests@2026-11-28.3',
      'edge.requests@2026-11-29',
    ])
    for (const name of names) expect(writeVersionName(readVersionName(name)!)).toBe(name)
  })

  it('goes on behind a version that was dropped', () => {
    expect(nextVersionName('a', '2026-11-28', ['a@2026-11-28.7', 'a@2026-11-27.9', 'b@2026-11-28.8'])).toBe(
      'a@2026-11-28.8',
    )
  })

  it('is no other text', () => {
    for (const name of ['a', 'a@', 'a@2026-11-28.1', 'a@2026-11-28.02', '@2026-11-28', 'a@2026-11-28 ', 'a@26-11-28'])
      expect(readVersionName(name), name).toBeUndefined()
    expect(readVersionName('a@2026-11-28')).toEqual({ view: 'a', day: '2026-11-28', number: 1 })
  })
})
