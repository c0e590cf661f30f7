import { describe, expect, it } from 'vitest'
import { endpoint } from '../../src/endpoints/endpoint.js'
import { optionalText, type Params } from '../../src/endpoints/params.js'
import { equals, scan } from '../../src/plan/builder.js'

/** A user's query that does not filter by the project. */
function userEndpoint(params: Params) {
  const plan = () => scan('edge_logs', { fromUs: 0, throughUs: 1 }).select('id').orderBy('timestamp', 'desc').limit(1)
  return endpoint({ id: '', name: 'own', maxRows: 1, cache: { ttlS: 1, warmS: 1 }, params, query: '', plan })
}

const NOT_OF_A_PROJECT =
  'The access token is bound to projects, and this query names none. ' +
  'Name one of them as ?project=…, or use another token.'

describe('an endpoint that does not ask for a project, called by one who is bound', () => {
  it('gets the rows of the project that it is given, and a key of its own', () => {
    const { call, callBound } = userEndpoint({ project: optionalText('') })
    const bound = callBound(new URLSearchParams('project=a'))
    expect(bound.project).toBe('a')
    expect(bound.plan(0)[1]).toEqual({ op: 'filter', where: equals('project', 'a') })
    expect(bound.key).not.toBe(call(new URLSearchParams('project=a')).key)
  })

  it.each([
    ['has the parameter, and none is given', { project: optionalText('') }, ''],
    ['has the parameter, and it is empty', { project: optionalText('') }, 'project='],
    ['has no such parameter', {}, 'project=a'],
  ])('is refused where it %s', (_, params, query) => {
    const refusal = expect.objectContaining({ code: 'forbidden_project', message: NOT_OF_A_PROJECT })
    expect(() => userEndpoint(params).callBound(new URLSearchParams(query))).toThrow(refusal)
  })
})
