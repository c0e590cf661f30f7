import { expect, it } from 'vitest'
import type { Access } from '../../src/tokens/access.js'
import { createTokenRegistry, digestOf, plainTokens } from '../../src/tokens/token-registry.js'
import { createFakeClock } from '../support/clock.js'

const ACCESS: Access = { scopes: new Set(['query']), projects: new Set(['a']) }
const token = (text: string, expiresUs = Number.POSITIVE_INFINITY) => ({
  digest: digestOf(text),
  access: ACCESS,
  expiresUs,
})

it('a token registry knows what it was given last, and no more', () => {
  const registry = createTokenRegistry(createFakeClock())
  expect(registry.accessOf(digestOf('a'))).toBeUndefined()
  expect(registry.accessOf(new Uint8Array(32))).toBeUndefined()
  registry.replace([token('a'), ...plainTokens(['b'])])
  expect(registry.accessOf(digestOf('a'))).toBe(ACCESS)
  expect(registry.accessOf(digestOf('b'))).toMatchObject({ projects: undefined })
  registry.replace([token('c')])
  expect(registry.accessOf(digestOf('a'))).toBeUndefined()
  expect(registry.accessOf(digestOf('c'))).toBe(ACCESS)
})

it('a token is unknown from the microsecond on at which it expires', () => {
  const clock = createFakeClock()
  const registry = createTokenRegistry(clock)
  registry.replace([token('a', clock.nowUs() + 1_000)])
  clock.setNowUs(clock.nowUs() + 999)
  expect(registry.accessOf(digestOf('a'))).toBe(ACCESS)
  clock.setNowUs(clock.nowUs() + 1)
  expect(registry.accessOf(digestOf('a'))).toBeUndefined()
})

it('many tokens are each found', () => {
  const registry = createTokenRegistry(createFakeClock())
  const names = Array.from({ length: 1_000 }, (_, i) => `token-${i}`)
  registry.replace(plainTokens(names))
  expect(names.filter((name) => registry.accessOf(digestOf(name)) === undefined)).toEqual([])
  expect(names.filter((name) => registry.accessOf(digestOf(`${name}-`)) !== undefined)).toEqual([])
})
