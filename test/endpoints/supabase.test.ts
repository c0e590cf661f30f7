import { describe, expect, it } from 'vitest'
import { ENDPOINTS, endpointsOf } from '../../src/endpoints/index.js'
import { call, column, literal } from '../../src/plan/expression.js'
import type { Plan } from '../../src/plan/plan.js'
import { appendAll, askBound, openEngine } from '../support/engine.js'
import { edge } from '../support/records.js'

const [, invocationStats, apiCounts] = endpointsOf({ supabase: true })
const NOW_US = Date.UTC(2026, 10, 20, 10) * 1000

const conditionsOf = (plan: Plan) => plan.flatMap((operator) => (operator.op === 'filter' ? [operator.where] : []))
const query = (text: string) => new URLSearchParams(text)

describe('the stored queries of a self-hosted Supabase', () => {
  it('are there with the setting alone', () => {
    expect(endpointsOf({})).toEqual(ENDPOINTS)
    expect(endpointsOf({ supabase: false }).every((one, i) => one === ENDPOINTS[i])).toBe(true)
    expect([invocationStats, apiCounts]).not.toContain(ENDPOINTS[1])
    expect([invocationStats, apiCounts]).not.toContain(ENDPOINTS[2])
  })

  it.each([0, 1, 2])('have the place, id, name and policy of query %i', (i) => {
    const { id, name, maxRows, cache, params } = ENDPOINTS[i]!
    const variant = endpointsOf({ supabase: true })[i]!
    expect(variant).toMatchObject({ id, name, maxRows, cache })
    expect(Object.keys(variant.params)).toEqual(Object.keys(params))
  })

  it('name the intervals that they know', () => {
    expect(apiCounts!.params.interval!.description).toBe(
      'one of minutely, hourly, daily, 1hr, 1day, 7day; anything else: no rows',
    )
    expect(ENDPOINTS[2]!.params.interval!.description).toBe('one of minutely, hourly, daily; anything else: no rows')
  })

  it('have errors of parameters as before', () => {
    expect(() => apiCounts!.call(query('project=('))).toThrow(expect.objectContaining({ code: 'invalid_pattern' }))
    expect(() => apiCounts!.call(query(''))).toThrow(expect.objectContaining({ code: 'missing_parameter' }))
    expect(() => apiCounts!.callBound(query(''))).toThrow(expect.objectContaining({ code: 'missing_parameter' }))
  })

  it('share a cache entry only if they mean the same', () => {
    const keyOf = (text: string) => apiCounts!.call(query(text)).key
    expect(keyOf('project=a&interval=5min')).toBe(keyOf('project=a'))
    expect(new Set([keyOf('project=a'), keyOf('project=b'), apiCounts!.callBound(query('project=a')).key]).size).toBe(3)
    expect(keyOf('project=a&interval=1hr')).not.toBe(keyOf('project=a&interval=hourly'))
  })
})

describe('usage.api-counts of a self-hosted Supabase for a token that is bound to projects', () => {
  it('takes the project as a name in both places', () => {
    const [own, counted] = conditionsOf(apiCounts!.callBound(query('project=a.*&interval=1hr')).plan(NOW_US))
    const isProject = call('eq', column('project'), literal('a.*'))
    expect(own).toEqual(isProject)
    expect(JSON.stringify(counted)).toContain(JSON.stringify(isProject).slice(1, -1))
    expect(JSON.stringify(counted)).toContain(JSON.stringify(String.raw`a\.\*`))
    expect(JSON.stringify(counted)).not.toContain('"regexp_contains","args":[{"kind":"column","name":"project"}')
  })

  it('counts no record of another project', async () => {
    const engine = openEngine()
    const at = (project: string | null, url?: string) =>
      edge({ timestampUs: NOW_US, project, metadata: { request: { url, path: '/rest' } } })
    await appendAll(engine, [at('a.c'), at('abc'), at(null), at('a.c', 'https://a.c'), at('abc', 'https://a.c')])
    const ask = (project: string) =>
      askBound(engine, 'supabase: usage.api-counts', { project, interval: '1hr' }, NOW_US)
    expect(await ask('a.c')).toMatchObject([{ total_rest_requests: 2 }])
    expect(await ask('.*')).toEqual([])
    await engine.close()
  })
})
