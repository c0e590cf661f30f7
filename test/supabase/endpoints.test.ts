import { describe, expect, it } from 'vitest'
import { openApi } from '../../src/http/openapi/document.js'
import { readSql } from '../../src/sql/read-sql.js'
import { notReplaced, STUDIO_QUERIES, studioEndpoints, textOfQuery } from '../../src/supabase/endpoints.js'
import { uuidOfName } from '../../src/user-endpoints/name-uuid.js'
import { sqlEndpoint } from '../../src/user-endpoints/sql-endpoint.js'
import { validateEndpoint } from '../../src/user-endpoints/validate.js'

const endpoints = studioEndpoints(async () => ({ readSql }))

describe.each(STUDIO_QUERIES)('%s', (name) => {
  const endpoint = endpoints.find((one) => one.name === name)!

  it('is a valid file, whose id never changes', () => {
    expect(validateEndpoint(sqlEndpoint(textOfQuery(name), name, readSql))).toBe(undefined)
    expect([endpoint.id, endpoint.query]).toEqual([uuidOfName(name), textOfQuery(name)])
  })

  it('is limited to a project, and has a fresh cache', () => {
    expect(endpoint.params.project?.required).toBe(true)
    expect(endpoint.cache).toEqual({ ttlS: 10, warmS: 10 })
  })
})

it('the compiler is loaded with the first call that is run, once for each query', async () => {
  let loads = 0
  let reads = 0
  const [first, second] = studioEndpoints(async () => {
    loads++
    return {
      readSql: (text) => {
        reads++
        return readSql(text)
      },
    }
  })
  const calls = [first!, first!, second!].map((one) => one.call(new URLSearchParams({ project: 'default' })))
  expect([loads, reads]).toEqual([0, 0])
  for (const call of calls) await call.load!()
  expect(reads).toBe(2)
  expect(calls.map((call) => call.plan(0).length > 0)).toEqual([true, true, true])
})

it('are described for clients, though their queries are not compiled', () => {
  const document = JSON.parse(openApi(endpoints, '1.0.0', 0))
  const { get } = document.paths['/api/endpoints/query/service-health']
  const names = get.parameters.map(({ name }: { name: string }) => name)
  expect(names.slice(0, 4)).toEqual(['project', 'iso_timestamp_start', 'iso_timestamp_end', 'granularity'])
})

it('an endpoint of the user with the name or the id of one is served in its place', () => {
  const [first, second, ...others] = endpoints
  const own = { ...first!, id: uuidOfName('another') }
  const sameId = { ...second!, name: 'another', id: second!.id.toUpperCase() }
  expect(notReplaced(endpoints, [own, sameId])).toEqual(others)
  expect(notReplaced(endpoints, [])).toEqual(endpoints)
})
