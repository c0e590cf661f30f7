import { describe, expect, it } from 'vitest'
import {
  formatTokenEntries,
  isTokenEntriesText,
  MAX_TOKENS,
  parseTokenEntries,
  type TokenEntry,
} from '../../src/tokens/entry.js'

const entry = (more: object = {}): TokenEntry => ({
  id: '0123abcd',
  sha256: 'a'.repeat(64),
  scopes: ['query', 'ingest'],
  created: '2026-11-20T10:00:00.000Z',
  ...more,
})
const full = entry({
  name: 'shipper-1',
  projects: ['a b', 'é'],
  scopes: ['ingest'],
  expires: '2027-01-01T00:00:00.000Z',
  rate: '600/m',
})

const parse = (...tokens: unknown[]) => parseTokenEntries(JSON.stringify({ tokens }), 'FILE')

describe('a file of hashed tokens', () => {
  it('is read as it was written', () => {
    for (const entries of [[], [full], [full, entry({ id: '00000000', sha256: 'b'.repeat(64) })]]) {
      expect(isTokenEntriesText(formatTokenEntries(entries))).toBe(true)
      expect(parseTokenEntries(formatTokenEntries(entries), 'FILE')).toEqual(entries)
    }
  })

  it('is told from a plain one', () => {
    expect(['# {\nabc\n', 'abc\n{', ''].map(isTokenEntriesText)).toEqual([false, false, false])
    expect(['{', ' \n{"tokens":[]}'].map(isTokenEntriesText)).toEqual([true, true])
  })

  it.each(['{', '{}', '{"tokens":{}}', '{"tokens":[],"more":1}', '{"tokens":[]} x'])('is not %s', (text) => {
    expect(() => parseTokenEntries(text, 'FILE')).toThrow(
      'FILE: is not of the form {"tokens":[…]}, in JSON. Correct or remove it.',
    )
  })

  it.each<[object, string | RegExp]>([
    [{ project: ['a'] }, /^FILE: token 1 has "project", which is not one of id, name, sha256, scopes, projects, /],
    [{ scopes: undefined }, /^FILE: token 1: "scopes" is not a JSON array that corresponds to a comma-separated list/],
    [{ scopes: [] }, /"scopes" is not/],
    [{ scopes: 'query' }, /"scopes" is not/],
    [{ scopes: ['query', 'query'] }, /"scopes" is not/],
    [{ scopes: ['query,ingest'] }, /"scopes" is not/],
    [{ scopes: ['admin'] }, /"scopes" is not/],
    [{ projects: [] }, /"projects" is not/],
    [{ projects: null }, /"projects" is not/],
    [{ projects: [''] }, /"projects" is not/],
    [{ projects: ['a', 'a'] }, /"projects" is not/],
    [{ projects: ['a\n'] }, /"projects" is not/],
    [{ projects: ['\ud800'] }, /"projects" is not/],
    [{ projects: ['x'.repeat(201)] }, /"projects" is not/],
    [{ projects: Array.from({ length: 101 }, (_, i) => `${i}`) }, /"projects" is not/],
    [{ sha256: 'A'.repeat(64) }, 'FILE: token 1: "sha256" is not a text of 64 lower-case hexadecimal digits.'],
    [{ sha256: 'a'.repeat(63) }, /"sha256" is not/],
    [{ sha256: undefined }, /"sha256" is not/],
    [{ id: 'x' }, /"id" is not/],
    [{ name: 'a b' }, /"name" is not/],
    [{ expires: 'soon' }, 'FILE: token 1: "expires" is not an ISO 8601 time, such as 2026-11-20T10:00:00Z.'],
    [{ expires: 5 }, /"expires" is not/],
    [{ rate: '5' }, 'FILE: token 1: "rate" is not a rate above 0, such as 100/s, 600/m, 1000/h or 5000/d.'],
    [{ created: undefined }, /"created" is not/],
    [{ constructor: 1 }, /has "constructor"/],
  ])('refuses a token with %j, for it may open more than was meant', (more, message) => {
    expect(() => parse(entry(more))).toThrow(message)
  })

  it.each([null, 5, [], 'x'])('refuses %j as a token', (token) => {
    expect(() => parse(entry(), token)).toThrow('FILE: token 2 is not an object.')
  })

  it('refuses two that are alike', () => {
    const other = { id: '00000000', sha256: 'b'.repeat(64) }
    expect(() => parse(entry(), entry({ ...other, id: '0123abcd' }))).toThrow('FILE: token 2 has the "id" of another.')
    expect(() => parse(entry(), entry({ id: '00000000' }))).toThrow('has the "sha256" of another')
    expect(() => parse(full, entry({ ...other, name: 'shipper-1' }))).toThrow('has the "name" of another')
  })

  it('takes a list as long as one may be, and refuses too many tokens', () => {
    const projects = Array.from({ length: 100 }, (_, i) => `${i}`.padStart(200, 'x'))
    expect(parse(entry({ projects }))[0]!.projects).toHaveLength(100)
    const many = Array.from({ length: MAX_TOKENS + 1 }, () => 0)
    expect(() => parse(...many)).toThrow(`FILE: holds more than ${MAX_TOKENS} tokens. Revoke some.`)
  })
})
