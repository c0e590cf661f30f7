import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { resolve } from '../../src/user-endpoints/hook.js'

const url = (path: string) => `file:///own/${path}`
/**
 * Resolves an import that Node would resolve to `found`. Checks that the synchronous and the asynchronous hook agree.
 */
async function resolved(specifier: string, parentURL: string | undefined, found: string) {
  const next = () => ({ url: found, format: 'commonjs' })
  const sync = resolve(specifier, { parentURL }, next)
  const asynchronous = await resolve(specifier, { parentURL }, async () => next())
  expect(asynchronous).toEqual(sync)
  return sync
}

it('the builder is that of the program, whoever asks', async () => {
  const next = () => {
    throw new Error('not asked')
  }
  const { url } = resolve('logweir/endpoint', { parentURL: undefined }, next) as { url: string }
  expect(url).toBe(new URL('../../src/endpoint.js', import.meta.url).href)
})

it('a module is ESM, and its helpers are loaded anew with it', async () => {
  const esm = (path: string) => ({ url: url(path), format: 'module' })
  expect(await resolved(url('a.js?logweir=7'), undefined, url('a.js?logweir=7'))).toEqual(esm('a.js?logweir=7'))
  expect(await resolved('./_b.js', url('a.js?logweir=7'), url('_b.js'))).toEqual(esm('_b.js?logweir=7'))
  expect(await resolved('../x/_c.mjs', url('_b.js?logweir=7'), url('x/_c.mjs'))).toEqual(esm('x/_c.mjs?logweir=7'))
})

it('all else is left to Node', async () => {
  const left = (found: string) => ({ url: found, format: 'commonjs' })
  expect(await resolved('lib', url('a.js?logweir=7'), url('node_modules/lib/i.js'))).toEqual(
    left(url('node_modules/lib/i.js')),
  )
  expect(await resolved('./d.cjs', url('a.js?logweir=7'), url('d.cjs'))).toEqual(left(url('d.cjs')))
  expect(await resolved('./e.js', url('node_modules/lib/i.js'), url('e.js'))).toEqual(left(url('e.js')))
  expect(await resolved('node:fs', url('a.js?logweir=7'), 'node:fs')).toEqual(left('node:fs'))
})

describe('links', () => {
  function folderWith(...files: readonly string[]): string {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'logweir-hook-')))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    for (const name of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), '')
    }
    return folder
  }

  function link(target: string, path: string): void {
    symlinkSync(target, `${path}.new`)
    renameSync(`${path}.new`, path)
  }

  const versioned = (path: string) => `${pathToFileURL(path).href}?logweir=7`

  it('are followed at each load, and not as Node remembers them', async () => {
    const folder = folderWith('1/a.js', '1/_h.js', '2/a.js', '2/_h.js')
    const [entry, parent] = [join(folder, 'current/a.js'), versioned(join(folder, 'a.js'))]
    for (const release of ['1', '2', '1']) {
      link(release, join(folder, 'current'))
      link(`${release}/_h.js`, join(folder, '_h.js'))
      const stale = versioned(join(folder, 'gone.js'))
      expect(await resolved(versioned(entry), undefined, stale)).toMatchObject({
        url: versioned(join(folder, release, 'a.js')),
      })
      expect(await resolved('./_h.js', parent, stale)).toMatchObject({ url: versioned(join(folder, release, '_h.js')) })
      expect(await resolved('./current/a.js', parent, stale)).toMatchObject({
        url: versioned(join(folder, release, 'a.js')),
      })
    }
  })

  it('are followed to files of any kind, which Node reads as it reads them without a link', async () => {
    const folder = folderWith('1/d.cjs', '1/e.json', '1/no module.js')
    link('1', join(folder, 'current'))
    const parent = versioned(join(folder, 'a.js'))
    for (const name of ['d.cjs', 'e.json']) {
      expect(await resolved(`./current/${name}`, parent, 'file:///stale')).toEqual({
        url: pathToFileURL(join(folder, '1', name)).href,
        shortCircuit: true,
      })
    }
    expect(await resolved('./current/no%20module.js?x=1', parent, 'file:///stale')).toMatchObject({
      url: `${pathToFileURL(join(folder, '1/no module.js')).href}?x=1&logweir=7`,
      format: 'module',
    })
  })

  it.each([
    './none.js',
    './current',
    './dangling.js',
    './a%2Fb.js',
  ])('leave it to Node to say what is wrong with %s', async (specifier) => {
    const folder = folderWith('1/a.js')
    link('1', join(folder, 'current'))
    link('2/a.js', join(folder, 'dangling.js'))
    const refuse = () => {
      throw new Error('of Node')
    }
    const resolving = () => resolve(specifier, { parentURL: versioned(join(folder, 'a.js')) }, refuse)
    expect(resolving).toThrow('of Node')
  })

  it('of packages and of modules of the program are left to Node', async () => {
    const folder = folderWith('1/a.js')
    link('1', join(folder, 'current'))
    const found = pathToFileURL(join(folder, 'current/a.js')).href
    const left = { url: found, format: 'commonjs' }
    expect(await resolved('./current/a.js', pathToFileURL(join(folder, 'a.js')).href, found)).toEqual(left)
    expect(await resolved('lib', versioned(join(folder, 'a.js')), pathToFileURL(join(folder, 'lib.cjs')).href)).toEqual(
      {
        ...left,
        url: pathToFileURL(join(folder, 'lib.cjs')).href,
      },
    )
  })
})
