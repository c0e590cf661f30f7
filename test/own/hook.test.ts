import { expect, it } from 'vitest'
import { resolve } from '../../src/own/hook.js'

const url = (path: string) => `file:///own/${path}`
/** What the hook makes of an import that Node alone would resolve to `found`, by hooks of either kind. */
async function resolved(specifier: string, parentURL: string | undefined, found: string) {
  const next = () => ({ url: found, format: 'commonjs' })
  const here = resolve(specifier, { parentURL }, next)
  const apart = await resolve(specifier, { parentURL }, async () => next())
  expect(apart).toEqual(here)
  return here
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
