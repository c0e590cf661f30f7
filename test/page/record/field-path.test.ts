import { describe, expect, it } from 'vitest'
import { fieldName, pathText, valueAt } from '../../../src/page/record/field-path.js'

describe('the name of a field', () => {
  it.each([
    [['response', 'status_code'], 'response.status_code'],
    [[0, 'request', 0, 'headers', 0, 'cf_ray'], 'request.headers.cf_ray'],
    [
      ['a.b', 'c'],
      ['a.b', 'c'],
    ],
    [[''], ['']],
    [['id'], 'metadata.id'],
    [['project', 'x'], 'metadata.project.x'],
    [
      ['timestamp', 'a.b'],
      ['metadata', 'timestamp', 'a.b'],
    ],
    [['metadata'], 'metadata.metadata'],
    [['__proto__'], '__proto__'],
  ])('%j', (steps, name) => {
    expect(fieldName(steps)).toEqual(name)
  })

  it.each([[['list', 0]], [['list', 1, 'a']], [[2, 'a']], [[]]])('is none where filters see nothing: %j', (steps) => {
    expect(fieldName(steps)).toBeUndefined()
  })

  it('is a path for users', () => {
    expect(pathText(['request', 0, 'a.b'])).toBe('request.0.a.b')
  })
})

describe('the value at a path', () => {
  const metadata = [{ response: [{ status_code: 500 }, { status_code: 200 }], level: null, list: ['a'] }]

  it('passes through the first elements of lists', () => {
    expect(valueAt(metadata, 'response.status_code')).toBe(500)
    expect(valueAt(metadata[0], 'response.status_code')).toBe(500)
    expect(valueAt(metadata, 'level')).toBeNull()
    expect(valueAt(metadata, 'list')).toEqual(['a'])
  })

  it.each(['x', 'response.x', 'level.x', 'list.x', 'constructor', 'response.length'])('is none at %s', (path) => {
    expect(valueAt(metadata, path)).toBeUndefined()
  })

  it('is none of what is no object', () => {
    for (const other of [undefined, null, 'text', 5, []]) expect(valueAt(other, 'a')).toBeUndefined()
  })
})
