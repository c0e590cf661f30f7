import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAuth } from '../../../src/http/access/auth.js'
import { FULL_ACCESS } from '../../../src/tokens/access.js'
import { createTestApp, LOGS_ALL, PREFIX, readReply, TOKEN, tokenRegistryOf, UNAUTHORIZED } from '../support.js'

const authOf = (tokens: readonly string[]) => createAuth(tokenRegistryOf(tokens).accessOf)
const refused = { status: 401, body: UNAUTHORIZED }
const { app } = createTestApp({ rows: () => [], tokens: [TOKEN, 'second-token'] })
const ask = (headers: RequestInit['headers'], path = `${LOGS_ALL}?project=a`) =>
  readReply(app.fetch(new Request(PREFIX + path, { headers })))

describe('S2: a token', () => {
  test.each([
    ['X-API-KEY', { 'X-API-KEY': TOKEN }],
    ['the second one', { 'x-api-key': 'second-token' }],
    ['Authorization: Bearer', { Authorization: `Bearer ${TOKEN}` }],
    ['the scheme in small letters', { Authorization: `bearer  ${TOKEN}` }],
    ['Authorization: Bearer beside an empty X-API-KEY', { 'X-API-KEY': '', Authorization: `Bearer ${TOKEN}` }],
    ['X-API-KEY beside another scheme', { 'X-API-KEY': TOKEN, Authorization: 'Basic YTpi' }],
  ])('opens by %s', async (_, headers) => {
    expect(await ask(headers as Record<string, string>)).toEqual({ status: 200, body: '{"result":[]}' })
  })

  test.each([
    ['none', {}],
    ['an empty one', { 'X-API-KEY': '' }],
    ['one character', { 'X-API-KEY': TOKEN.slice(0, 1) }],
    ['16 right characters', { 'X-API-KEY': TOKEN.slice(0, 16) }],
    ['31 right characters', { 'X-API-KEY': `${TOKEN.slice(0, 31)}x` }],
    ['one character more', { 'X-API-KEY': `${TOKEN}x` }],
    ['other letter case', { 'X-API-KEY': TOKEN.toUpperCase() }],
    ['not ASCII', { 'X-API-KEY': 'ÿé' }],
    ['64 KiB', { 'X-API-KEY': 'x'.repeat(65_536) }],
    ['both tokens in one header', { 'X-API-KEY': `${TOKEN}, second-token` }],
    ['a wrong X-API-KEY beside a right Bearer', { 'X-API-KEY': 'wrong', Authorization: `Bearer ${TOKEN}` }],
    ['another scheme', { Authorization: `Basic ${TOKEN}` }],
    ['no scheme', { Authorization: TOKEN }],
    ['a scheme in the middle', { Authorization: `${TOKEN.slice(0, 5)}Bearer ${TOKEN.slice(5)}` }],
    ['a scheme alone', { Authorization: 'Bearer' }],
  ])('refuses %s', async (_, headers) => {
    expect(await ask(headers as Record<string, string>)).toEqual(refused)
  })

  test.each([
    [
      'the same header twice',
      [
        ['X-API-KEY', TOKEN],
        ['X-API-KEY', TOKEN],
      ],
    ],
    [
      'two Bearers',
      [
        ['Authorization', `Bearer ${TOKEN}`],
        ['Authorization', `Bearer ${TOKEN}`],
      ],
    ],
  ])('refuses %s', async (_, headers) => {
    expect(await ask(headers as [string, string][])).toEqual(refused)
  })

  test.each([
    `${LOGS_ALL}?project=a&api_key=${TOKEN}&apikey=${TOKEN}&token=${TOKEN}`,
    '/metrics',
    '/api/endpoints',
    '/api/endpoints/query/nothing',
    '/nothing',
    '/api/endpoints/query/8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d01?project=a',
    '/health/',
    '/health/x',
    '/api/endpoints/query/%2e%2e%2fhealth',
  ])('is asked for at %s', async (path) => {
    expect(await ask({}, path)).toEqual(refused)
  })

  test('is not asked for where a path leads to an open one', async () => {
    for (const path of ['/api/../health', '/%68ealth', '/health?x', '/health#x']) {
      expect(await ask({}, path)).toEqual({ status: 200, body: '{"status":"ok"}' })
    }
  })
})

test('S2: a token outside ASCII is compared as the bytes that are sent', () => {
  const accessOf = authOf(['pass-wört'])
  expect(accessOf(new Headers({ 'X-API-KEY': Buffer.from('pass-wört').toString('latin1') }))).toBe(FULL_ACCESS)
})

test('S2: no token, or an empty one, opens nothing', () => {
  for (const tokens of [[], [''], ['', '']]) {
    expect(authOf(tokens)(new Headers())).toBeUndefined()
    expect(authOf(tokens)(new Headers({ 'X-API-KEY': '' }))).toBeUndefined()
  }
})

test('S2: only the very token opens', () => {
  const header = fc.stringMatching(/^[\x21-\x7e]{0,40}$/)
  fc.assert(
    fc.property(fc.array(header, { maxLength: 4 }), header, (tokens, shown) => {
      expect(authOf(tokens)(new Headers({ 'X-API-KEY': shown })) !== undefined).toBe(
        shown !== '' && tokens.includes(shown),
      )
    }),
  )
})

test('S2: digests are compared in constant time, found by a hash with a random key', () => {
  const [auth, keyring] = ['http/access/auth.ts', 'tokens/token-registry.ts'].map((file) =>
    readFileSync(new URL(`../../../src/${file}`, import.meta.url), 'utf8'),
  )
  expect(auth).toMatch(/accessOf\(digestOfHeader\(token\)\)/)
  expect(keyring).toMatch(/const key = randomBytes\(DIGEST_BYTES\)/)
  expect(keyring).toMatch(/hash\('sha256', Buffer\.concat\(\[key, digest\]\)/)
  expect(keyring).toMatch(/timingSafeEqual\(token\?\.digest \?\? NO_DIGEST, digest\)/)
})
