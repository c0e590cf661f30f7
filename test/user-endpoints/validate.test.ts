import { describe, expect, it } from 'vitest'
import { endpoint } from '../../src/endpoints/endpoint.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { optionalText, text } from '../../src/endpoints/params.js'
import { nothing } from '../../src/plan/builder.js'
import { isEndpoint, validateEndpoint } from '../../src/user-endpoints/validate.js'

const VALID = {
  id: '5b1f6a3e-0c1d-4a52-9a53-3d2c0f7e9a01',
  name: 'a.b',
  maxRows: 10,
  cache: { ttlS: 60, warmS: 30 } as const,
  params: { project: text('a project') },
  query: 'select 1',
  plan: nothing,
}

/** Returns the problem of a valid endpoint in which the given fields are replaced. */
const problemWith = (given: object) => validateEndpoint(endpoint({ ...VALID, ...given }))

const NAMES = 'is invalid: use at most 100 letters, digits, dots, dashes and _, and begin with a letter'
const CACHE =
  "cache of a.b is neither 'disabled' nor { ttlS, warmS } with integers: ttlS from 1 to 86400, warmS from 1 to ttlS"

describe('an own endpoint', () => {
  it('is right like those of the house', () => {
    for (const one of ENDPOINTS) expect([one.name, validateEndpoint(one)]).toEqual([one.name, undefined])
    expect(problemWith({})).toBeUndefined()
    expect(problemWith({ cache: 'disabled', name: 'A-1_x.y', maxRows: 10_000 })).toBeUndefined()
    expect(problemWith({ id: VALID.id.toUpperCase(), params: {}, cache: { ttlS: 1, warmS: 1 } })).toBeUndefined()
  })

  it.each<[object, string]>([
    [{ id: '1' }, 'the id "1" of a.b is not a UUID'],
    [{ id: undefined }, 'the id undefined of a.b is not a UUID'],
    [{ name: undefined }, `the name undefined ${NAMES}`],
    [{ name: 'a/b' }, `the name "a/b" ${NAMES}`],
    [{ name: '..' }, `the name ".." ${NAMES}`],
    [{ name: 'a'.repeat(101) }, `the name "${'a'.repeat(99)} ${NAMES}`],
    [{ name: 'ab1f6a3e-0c1d-4a52-9a53-3d2c0f7e9a01' }, `the name "ab1f6a3e-0c1d-4a52-9a53-3d2c0f7e9a01" ${NAMES}`],
    [{ summary: '' }, 'summary of a.b is not a text of 1 to 200 characters'],
    [{ maxRows: 0 }, 'maxRows of a.b is 0, not an integer from 1 to 10000'],
    [{ maxRows: 10_001 }, 'maxRows of a.b is 10001, not an integer from 1 to 10000'],
    [{ maxRows: '5' }, 'maxRows of a.b is "5", not an integer from 1 to 10000'],
    [{ query: ' ' }, 'query of a.b is not a text of 1 to 65536 characters'],
    [{ query: undefined }, 'query of a.b is not a text of 1 to 65536 characters'],
    [{ cache: undefined }, CACHE],
    [{ cache: { ttlS: 10, warmS: 11 } }, CACHE],
    [{ cache: { ttlS: 1.5, warmS: 1 } }, CACHE],
    [{ cache: { ttlS: 86_401, warmS: 1 } }, CACHE],
    [{ params: null }, 'params of a.b is not an object'],
    [
      { params: { 'a-b': text('') } },
      'the parameter name "a-b" of a.b is invalid: use at most 64 letters, digits and _, and begin with a letter',
    ],
    [
      { params: { data_dir: text('') } },
      'the parameter data_dir of a.b has the name of a flag of "logweir query". Rename it',
    ],
    [
      { params: { x: 'text' } },
      'the parameter x of a.b is not a parameter object. ' +
        'Make it with text(), optionalText(), word(), number(), timestamp() or pattern()',
    ],
    [
      { params: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`p${i}`, optionalText('')])) },
      'a.b has over 50 parameters',
    ],
  ])('with %j is wrong', (given, problem) => {
    expect(problemWith(given)).toBe(problem)
  })

  it('is told from other exports', () => {
    expect(isEndpoint(endpoint(VALID))).toBe(true)
    for (const other of [undefined, null, 1, 'x', VALID, () => 1, {}]) expect(isEndpoint(other)).toBe(false)
  })
})
