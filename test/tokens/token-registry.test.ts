import { expect, it } from 'vitest'
import type { Access } from '../../src/tokens/access.js'
import { createKeyring, digestOf, plainTokens } from '../../src/tokens/token-registry.js'
import { createFakeClock } from '../support/clock.js'

const ACCESS: Access = { scopes: new Set(['query']), projects: new Set(['a']) }
const token = (text: string, expiresUs = Number.POSITIVE_INFINITY) => ({
  digest: digestOf(text),
  access: ACCESS,
  expiresUs,
})

it('a keyring knows what it was given last, and no more', () => {
  const keyring = createKeyring(createFakeClock())
  expect(keyring.accessOf(digestOf('a'))).toBeUndefined()
  expect(keyring.accessOf(new Uint8Array(32))).toBeUndefined()
  keyring.replace([token('a'), ...plainTokens(['b'])])
  expect(keyring.accessOf(digestOf('a'))).toBe(ACCESS)
  expect(keyring.accessOf(digestOf('b'))).toMatchObject({ projects: undefined })
  keyring.replace([token('c')])
  expect(keyring.accessOf(digestOf('a'))).toBeUndefined()
  expect(keyring.accessOf(digestOf('c'))).toBe(ACCESS)
})

it('a token is unknown from the microsecond on at which it expires', () => {
  const clock = createFakeClock()
  const keyring = createKeyring(clock)
  keyring.replace([token('a', clock.nowUs() + 1_000)])
  clock.setNowUs(clock.nowUs() + 999)
  expect(keyring.accessOf(digestOf('a'))).toBe(ACCESS)
  clock.setNowUs(clock.nowUs() + 1)
  expect(keyring.accessOf(digestOf('a'))).toBeUndefined()
})

it('many tokens are each found', () => {
  const keyring = createKeyring(createFakeClock())
  const names = Array.from({ length: 1_000 }, (_, i) => `token-${i}`)
  keyring.replace(plainTokens(names))
  expect(names.filter((name) => keyring.accessOf(digestOf(name)) === undefined)).toEqual([])
  expect(names.filter((name) => keyring.accessOf(digestOf(`${name}-`)) !== undefined)).toEqual([])
})
