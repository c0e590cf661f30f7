import fc from 'fast-check'
import { expect, it } from 'vitest'
import { urlPath } from '../../../../src/engine/execute/expressions/url-path.js'

const pathIn = (url: string) => urlPath(Buffer.from(url)).toString()

it.each([
  ['https://a.co/rest/v1/todos?id=eq.1#x', '/rest/v1/todos'],
  ['https://a.co/', '/'],
  ['https://a.co', ''],
  ['https://a.co?next=/x', ''],
  ['https://a.co#/x', ''],
  ['/rest?to=http://b.co/y', '/rest'],
  ['a.co//b', '//b'],
  ['http:/a/b', '/a/b'],
  ['x://y://z/p', '//z/p'],
  ['https://é.co/ü\n/😀', '/ü\n/😀'],
  ['?', ''],
  ['', ''],
])('the path in %j is %j', (url, path) => {
  expect(pathIn(url)).toBe(path)
})

it('is that of the URL of any texts put together', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '/', ':', 'é', '\n'), maxLength: 6 })
  const host = fc.string({ unit: fc.constantFrom('a', 'b', '.', ':', 'é'), maxLength: 6 })
  const rest = fc.constantFrom('', '?', '#', '?a/b', '#://a/b')
  fc.assert(
    fc.property(host, text, rest, (given, path, behind) => {
      const slashed = path === '' ? '' : `/${path}`
      expect(pathIn(`http://${given}${slashed}${behind}`)).toBe(slashed)
    }),
  )
})
