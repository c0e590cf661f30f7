import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAX_PATTERNS, MAX_RULES, readMaskFile } from '../../src/masking/parse.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'logweir-masks-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const fileOf = (text: string) => {
  const path = join(directory, 'masks.toml')
  writeFileSync(path, text)
  return path
}

describe('a file of masks', () => {
  it('has rules in their order', () => {
    const path = fileOf(`
[[mask]]
path = "request.headers.authorization"
with = "***"
[[mask]]
source = "gotrue.logs.prod"
path = '*."x.y"'
with = "drop"
name = "odd"
[[mask]]
path = "metadata.user"
with = "last4"
[[mask]]
builtin = "email"
with = "hash"
[[mask]]
pattern = 'session=(\\w+)'
source = "my_app"
with = "***"
`)
    const all = { source: undefined }
    expect(readMaskFile(path)).toEqual([
      {
        ...all,
        name: 'request.headers.authorization',
        masked: { path: ['request', 'headers', 'authorization'] },
        with: '***',
      },
      { name: 'odd', source: 'auth_logs', masked: { path: ['*', 'x.y'] }, with: 'drop' },
      { ...all, name: 'metadata.user', masked: { path: ['user'] }, with: 'last4' },
      { ...all, name: 'email', masked: { builtin: 'email' }, with: 'hash' },
      { name: 'session=(\\w+)', source: 'my_app', masked: { pattern: 'session=(\\w+)' }, with: '***' },
    ])
  })

  it('may have no rules', () => expect(readMaskFile(fileOf(''))).toEqual([]))

  it.each([
    ['[[masks]]\nwith = "***"', /masks\.toml: masks is unknown\. Each rule is a section \[\[mask\]\]\.$/],
    ['[mask]\nwith = "***"', /masks\.toml: write \[\[mask\]\], with two brackets\.$/],
    [
      '[[mask]]\nwith = "***"',
      /masks\.toml line 1: a rule has one of path, pattern, builtin, and this one has none\.$/,
    ],
    ['[[mask]]\npath = "a"\nbuiltin = "jwt"\nwith = "***"', /line 1: .* this one has path and builtin\.$/],
    ['[[mask]]\npath = "a"\n', /line 1: with is "drop", "\*\*\*", "last4", "hash"; this rule has another\.$/],
    ['[[mask]]\npath = "a"\nwith = "x"', /line 3: with is /],
    ['\n[[mask]]\npath = "a..b"\nwith = "***"', /line 3: path has a key that is missing or not in whole quotes\. /],
    ['[[mask]]\npath = \'"a\'\nwith = "***"', /line 2: path has a key that is missing/],
    ['[[mask]]\npath = "*"\nwith = "***"', /line 2: path is every field\./],
    ['[[mask]]\npath = 3\nwith = "***"', /line 2: path is not a text in quotes\.$/],
    ['[[mask]]\npattern = "("\nwith = "***"', /line 2: pattern cannot be used\. The pattern is not valid RE2: /],
    ['[[mask]]\npattern = "(?:(a))"\nwith = "***"', /line 2: pattern cannot be used\. The first group /],
    ['[[mask]]\nbuiltin = "mail"\nwith = "***"', /line 2: builtin is mail, and can be url-tokens, jwt, /],
    ['[[mask]]\npath = "a"\nwith = "***"\nsource = "No Source"', /line 4: source cannot be the name of a source\.$/],
    ['[[mask]]\npaths = "a"\nwith = "***"', /line 2: paths is unknown\. Did you mean path\?$/],
    ['[[mask]]\npath = "a"\nwith = "***"\n[[mask]]\npath = "b"\nwith = 1', /line 6: with is /],
    ['[[mask]]\npath = "a', /line 2: not TOML/],
    ['[[mask]]\npath = "a"\nwith = "***"\n'.repeat(MAX_RULES + 1), /line 301: there are over 100 rules\./],
    ['[[mask]]\npattern = "a"\nwith = "***"\n'.repeat(MAX_PATTERNS + 1), /line 62: there are over 20 patterns\./],
  ])('%j is refused with its line and the remedy', (text, message) => {
    expect(() => readMaskFile(fileOf(text))).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringMatching(message) }),
    )
  })

  it('must be there', () => {
    expect(() => readMaskFile(join(directory, 'none.toml'))).toThrow(expect.objectContaining({ code: 'failed' }))
  })
})
