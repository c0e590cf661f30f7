import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatTokenEntries, type TokenEntry } from '../../src/tokens/entry.js'
import { revokeProject } from '../../src/tokens/revoke-project.js'
import { readTokenEntries } from '../../src/tokens/update-file.js'
import { modeOf, temporaryFolder } from './folder.js'

const DELETED_US = Date.UTC(2026, 10, 20) * 1000

const entry = (id: number, projects?: string[], created = '2026-11-19T10:00:00Z'): TokenEntry => ({
  id: String(id).padStart(8, '0'),
  sha256: String(id).padStart(64, '0'),
  scopes: ['query'],
  ...(projects && { projects }),
  created,
})

function fileWith(entries: readonly TokenEntry[]): string {
  const path = join(temporaryFolder(), 'tokens.json')
  writeFileSync(path, formatTokenEntries(entries), { mode: 0o600 })
  return path
}

describe('a project that was deleted', () => {
  it('goes from the tokens that are bound to it, of which those without another are revoked', async () => {
    const later = entry(5, ['shop'], '2026-11-20T10:00:00Z')
    const path = fileWith([entry(1), entry(2, ['shop']), entry(3, ['a', 'shop', 'b']), entry(4, ['shop2']), later])
    expect(await revokeProject(path, 'shop', DELETED_US)).toEqual(['00000002'])
    expect(readTokenEntries(path)).toEqual([entry(1), entry(3, ['a', 'b']), entry(4, ['shop2']), later])
    expect(modeOf(path)).toBe(0o600)
  })

  it('changes no file that has no such token', async () => {
    const path = fileWith([entry(1), entry(2, ['a'])])
    const before = statSync(path)
    expect(await revokeProject(path, 'shop', DELETED_US)).toEqual([])
    expect([statSync(path).ino, statSync(path).mtimeMs]).toEqual([before.ino, before.mtimeMs])
  })

  it('changes no plain tokens, and makes no file', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'tokens')
    expect(await revokeProject(path, 'shop', DELETED_US)).toEqual([])
    expect(readdirSync(folder)).toEqual([])
    writeFileSync(path, 'shop\n')
    expect(await revokeProject(path, 'shop', DELETED_US)).toEqual([])
    expect(readFileSync(path, 'utf8')).toBe('shop\n')
  })
})
