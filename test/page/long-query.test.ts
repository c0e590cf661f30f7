import { expect, test } from 'vitest'
import { requestTo } from '../../src/page/api/long-query.js'

const QUERY = 'api/endpoints/query/logs.all'

test.each([
  ['a short query', `${QUERY}?project=a&sql=select+1`],
  ['the longest query', `${QUERY}?sql=${'x'.repeat(4_096 - `${QUERY}?sql=`.length)}`],
  ['a long path that is no query', `api/tail?project=a&search=${'x'.repeat(5_000)}`],
  ['a long name', `${QUERY}${'x'.repeat(5_000)}`],
])('%s is sent as it is', (_, path) => {
  expect(requestTo(path)).toEqual({ path, init: {}, headers: {} })
})

test('a long query has its parameters in the body', () => {
  const search = `project=a&sql=select+%27${'x'.repeat(5_000)}%27`
  expect(requestTo(`${QUERY}?${search}`)).toEqual({
    path: QUERY,
    init: { method: 'POST', body: search },
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  })
})
