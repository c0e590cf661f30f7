import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/endpoints/endpoint.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import type { Plan } from '../../src/plan/plan.js'

/** The parts of the definitions that callers depend on and that never change. */
const DEFINITIONS = [
  {
    id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d01',
    name: 'logs.all',
    maxRows: 1000,
    cache: 'disabled',
    parameters: ['project', 'project_tier', 'iso_timestamp_start', 'iso_timestamp_end'],
    limit: 100,
  },
  {
    id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d02',
    name: 'functions.invocation-stats',
    maxRows: 1000,
    cache: { ttlS: 900, warmS: 300 },
    parameters: ['project', 'function_id', 'interval'],
    limit: 1000,
  },
  {
    id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d03',
    name: 'usage.api-counts',
    maxRows: 1000,
    cache: { ttlS: 900, warmS: 300 },
    parameters: ['project', 'interval'],
    limit: 1000,
  },
  {
    id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d11',
    name: 'logs.explore',
    maxRows: 1000,
    cache: 'disabled',
    parameters: ['project', 'source', 'start', 'end', 'filter', 'search', 'limit', 'before', 'after'],
    limit: 100,
  },
  {
    id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d12',
    name: 'logs.histogram',
    maxRows: 10_000,
    cache: 'disabled',
    parameters: ['project', 'source', 'start', 'end', 'filter', 'search', 'by'],
    limit: 10_000,
  },
  {
    id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d14',
    name: 'logs.measure',
    maxRows: 10_000,
    cache: 'disabled',
    parameters: ['project', 'source', 'start', 'end', 'filter', 'search', 'field'],
    limit: 10_000,
  },
  {
    id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d13',
    name: 'logs.fields',
    maxRows: 300,
    cache: 'disabled',
    parameters: ['project', 'source', 'start', 'end', 'filter', 'search', 'field'],
    limit: 2_001,
  },
]

const GIVEN = 'project=a&interval=daily&source=edge_logs'

const given = (name: string) => new URLSearchParams(name === 'logs.measure' ? `${GIVEN}&field=status` : GIVEN)

/** Endpoints that require more than the project and the source. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = { 'logs.measure': ['project', 'source', 'field'] }

const limitOf = (plan: Plan) => plan.flatMap((operator) => (operator.op === 'limit' ? [operator.rows] : []))[0]

describe('the stored queries', () => {
  it('stay what they are', () => {
    const found = ENDPOINTS.map((endpoint) => {
      const { id, name, maxRows, cache, params } = endpoint
      const plan = endpoint.call(given(name)).plan(0)
      return { id, name, maxRows, cache, parameters: Object.keys(params), limit: limitOf(plan) }
    })
    expect(found).toEqual(DEFINITIONS)
  })

  it.each(ENDPOINTS)('$name: every @parameter of its SQL is a parameter, and every parameter is in it', (endpoint) => {
    const { query, params } = endpoint
    const named = new Set([...query.matchAll(/@(\w+)/g)].map(([, name]) => name))
    expect([...named].sort()).toEqual(Object.keys(params).sort())
  })

  it.each(
    ENDPOINTS,
  )('$name: its SQL starts at the left margin, is one statement, and names columns of its answer', (endpoint) => {
    expect(endpoint.query).toMatch(/^(?:with .*\)\n)?select\b/s)
    expect(endpoint.query).not.toMatch(/;|\t|\s$/)
    const call = endpoint.call(given(endpoint.name))
    const columns = columnsOf(call, call.plan(0))
    expect(columns.length).toBeGreaterThan(0)
    for (const { name: column } of columns) expect(endpoint.query).toMatch(new RegExp(String.raw`\b${column}\b`))
  })

  it.each(ENDPOINTS)('$name: only project and source are required, and each parameter is described', ({
    name,
    params,
  }) => {
    const required = Object.entries(params).flatMap(([name, param]) => (param.required ? [name] : []))
    expect(required).toEqual(REQUIRED[name] ?? ('source' in params ? ['project', 'source'] : ['project']))
    for (const { description } of Object.values(params)) expect(description).toMatch(/\w{3}/)
  })
})
