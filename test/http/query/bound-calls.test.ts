import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ENDPOINTS } from '../../../src/endpoints/index.js'
import { createBoundCalls } from '../../../src/http/query/bound-calls.js'

const NOW_US = Date.UTC(2026, 10, 20, 10) * 1_000

/** Returns key and plan of a call, or the error. */
function outcome(read: () => { key: string; plan(nowUs: number): unknown }) {
  try {
    const { key, plan } = read()
    return { key, plan: plan(NOW_US) }
  } catch (error) {
    return error
  }
}

test('a remembered reading is what the endpoint reads, however often and in whatever order', () => {
  const parameter = fc.constantFrom(
    'project=a',
    'project=b',
    'project=',
    'project=[',
    'interval=daily',
    'interval=5min',
  )
  const search = fc.array(parameter, { maxLength: 3 }).map((parameters) => parameters.join('&'))
  fc.assert(
    fc.property(fc.constantFrom(...ENDPOINTS), fc.array(search, { maxLength: 20 }), (endpoint, searches) => {
      const read = createBoundCalls(endpoint)
      for (const text of searches) {
        expect(outcome(() => read(text))).toEqual(outcome(() => endpoint.call(new URLSearchParams(text))))
      }
    }),
  )
})

test('a remembered reading has the default project that the token has', () => {
  const projects = ['a', 'b', 'x&y=z', 'project=b', '[']
  const arbitraryCall = fc.record({
    search: fc.constantFrom('', 'project=', 'project=a', 'interval=daily', 'interval=daily&project=b'),
    bound: fc.option(fc.uniqueArray(fc.constantFrom(...projects), { minLength: 1 }), { nil: undefined }),
  })
  const arbitraryDefault = fc.option(fc.constantFrom(...projects), { nil: undefined })
  fc.assert(
    fc.property(
      fc.constantFrom(...ENDPOINTS.slice(0, 3)),
      arbitraryDefault,
      fc.array(arbitraryCall, { maxLength: 20 }),
      (endpoint, defaultProject, calls) => {
        const read = createBoundCalls(endpoint, { defaultProject })
        for (const { search, bound } of calls) {
          const standsIn = bound?.length === 1 ? bound[0] : defaultProject
          const mayStandIn = standsIn !== undefined && bound?.includes(standsIn) !== false
          const given = Object.assign(new URLSearchParams(search), mayStandIn ? { defaultProject: standsIn } : {})
          const named = given.get('project') || (mayStandIn ? standsIn : undefined)
          const isForbidden = named !== undefined && bound?.includes(named) === false
          const plain = () => (bound === undefined ? endpoint.call(given) : endpoint.callBound(given))
          const found = outcome(() => read(search, bound && new Set(bound)))
          if (isForbidden) expect(found).toMatchObject({ code: 'forbidden_project' })
          else expect(found).toEqual(outcome(plain))
        }
      },
    ),
  )
})

test('a reading is done once', () => {
  let calls = 0
  const endpoint = ENDPOINTS[1]!
  const read = createBoundCalls({
    ...endpoint,
    call(given) {
      calls += 1
      return endpoint.call(given)
    },
  })
  for (let i = 0; i < 3; i++) read('project=a')
  expect(calls).toBe(1)
})
