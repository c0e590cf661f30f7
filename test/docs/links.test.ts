import { describe, expect, it } from 'vitest'
import { DOCUMENTS, documentAt, documentOf } from './documents.js'
import { anchorsOf, faultOf, HOSTS, linksOf } from './links.js'

describe('the pages', () => {
  it('link to files, headings and hosts that there are', () => {
    const links = DOCUMENTS.flatMap((page) => linksOf(page).map((target) => ({ target, from: page.path })))
    expect(links.length).toBeGreaterThan(50)
    expect(links.map(({ target, from }) => faultOf(target, from, DOCUMENTS)).filter(Boolean)).toEqual([])
    const hosts = links
      .filter(({ target }) => target.startsWith('https:'))
      .map(({ target }) => new URL(target).hostname)
    expect([...new Set(hosts)].sort()).toEqual(HOSTS)
  })

  it('are all linked to from the README', () => {
    const linked = linksOf(documentAt('README.md')!)
    const others = DOCUMENTS.map(({ path }) => path).filter((path) => path !== 'README.md')
    expect(others.filter((path) => !linked.includes(path))).toEqual([])
  })
})

describe('a link', () => {
  const page = documentOf('docs/api.md', '# A & `b_c`: [d](e)\n## Same\n## Same\n```sh\n# no heading\n```\n')

  it('leads to a heading by the name that GitHub gives it', () => {
    expect([...anchorsOf(page)]).toEqual(['a--b_c-d', 'same', 'same-1'])
  })

  it.each([
    ['#same-1', undefined],
    ['../README.md', undefined],
    ['#sam', '#sam: docs/api.md has no such heading'],
    ['tail.md#a', 'tail.md#a: docs/tail.md has no such heading'],
    ['absent.md', 'absent.md: there is no docs/absent.md'],
    ['https://github.com/a', undefined],
    ['http://github.com/a', 'http://github.com/a: not https'],
    ['https://example.com/a', 'https://example.com/a: example.com is not in the list of hosts'],
    ['//github.com/a', '//github.com/a: not https'],
  ])('to %s has the fault %s', (target, fault) => {
    expect(faultOf(target, page.path, [page])).toBe(fault)
  })
})
