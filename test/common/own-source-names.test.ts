import { describe, expect, it } from 'vitest'
import { faultOfOwnName, faultOfOwnNames, isSourceName, readOwnNames } from '../../src/common/own-source-names.js'
import { SOURCES } from '../../src/common/sources.js'

const LONGEST = `a${'b'.repeat(62)}`
const names = (count: number) => Array.from({ length: count }, (_, i) => `source_${i}`)

describe('the name of an own source', () => {
  it.each(['a', 'nginx', 'app_2', 'constructor', 'metadata', LONGEST])('may be %s', (name) => {
    expect(faultOfOwnName(name)).toBeUndefined()
    expect(isSourceName(name)).toBe(true)
  })

  it.each([
    ...['', 'Nginx', '2a', '_a', 'a-b', 'a.b', 'a b', 'é', 'a\n', '../x', 'a/b', 'a\0', '*', '__proto__'],
    ...['select', 'group', 'lines', 'view', 'unnest', 'alert_events', `${LONGEST}c`],
  ])('is not %j', (name) => {
    expect(faultOfOwnName(name)).toBeDefined()
    expect(isSourceName(name)).toBe(name === 'alert_events')
  })

  it('is no name and no alias of the nine, and only their names are names of sources', () => {
    for (const { name, alias } of SOURCES) {
      expect(faultOfOwnName(name)).toBe('is one of the nine sources, which need not be named')
      expect(faultOfOwnName(alias)).toBe('is the alias of one of the nine sources')
      expect([isSourceName(name), isSourceName(alias)]).toEqual([true, false])
    }
  })
})

describe('a list of own sources', () => {
  it('has up to 200 names', () => {
    expect(readOwnNames('nginx,app')).toEqual(['nginx', 'app'])
    expect(readOwnNames(names(200).join())).toHaveLength(200)
    expect(readOwnNames(names(201).join())).toBeUndefined()
    expect(readOwnNames(`${names(200).join()},*`)).toHaveLength(201)
    expect(readOwnNames('*')).toEqual(['*'])
  })

  it.each([
    [names(201).join(), '"source_200" is the name 201, and there may be 200'],
    ['a,b,a', '"a" is in the list twice'],
    ['a,,b', /^"" is not a name of a-z, 0-9 and _/],
    ['a,*,*', '"*" is in the list twice'],
    ['a*', /^"a\*" is not a name/],
    [`${names(201).join()},*`, '"source_200" is the name 201, and there may be 200'],
    ['a,select', '"select" has a meaning of its own in queries'],
    ['edge_logs', '"edge_logs" is one of the nine sources, which need not be named'],
  ])('with a fault says which name it is, and why', (list, fault) => {
    expect(readOwnNames(list)).toBeUndefined()
    expect(faultOfOwnNames(list)).toEqual(fault instanceof RegExp ? expect.stringMatching(fault) : fault)
  })
})
