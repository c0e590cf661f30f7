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
