import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HISTORY_SOURCE } from '../../src/common/sources.js'
import type { Erasing } from '../../src/deletions/place.js'
import type { Deletion } from '../../src/engine/deletion.js'
import { placesOf } from '../../src/service/deletion-places.js'
import { formatTokenEntries } from '../../src/tokens/entry.js'
import { readTokenEntries } from '../../src/tokens/update-file.js'

const ALL: Deletion = {
  id: 'd',
  project: 'shop',
  fromUs: Number.NEGATIVE_INFINITY,
  throughUs: Number.POSITIVE_INFINITY,
  sources: new Map([HISTORY_SOURCE, 'edge_logs'].map((source) => [source, { lastHead: 1, where: undefined }])),
}
const PARTS: readonly Deletion[] = [
  { ...ALL, fromUs: 0 },
  { ...ALL, throughUs: 0 },
  { ...ALL, sources: new Map([['edge_logs', { lastHead: 1, where: undefined }]]) },
]

const TOKEN = { id: '00000001', sha256: '0'.repeat(64), scopes: ['query'] as const, created: '2026-11-19T10:00:00Z' }
const TOKENS = formatTokenEntries([{ ...TOKEN, projects: ['shop'] }])

/** Notes what is called for a deletion. */
async function callsOf(deletion: Deletion, isOfWholeProject: boolean, tokensText = TOKENS) {
  const folder = mkdtempSync(join(tmpdir(), 'places-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const tokensPath = join(folder, 'tokens.json')
  writeFileSync(tokensPath, tokensText)
  const [calls, logged]: [string[], string[]] = [[], []]
  const note = (name: string, of: unknown) => void calls.push(typeof of === 'string' ? `${name} ${of}` : name)
  const noteLater = (name: string) => async (of: unknown) => note(name, of)
  const places = placesOf({
    views: {
      hide: () => note('hide groups', undefined),
      regroup: noteLater('regroup'),
      forget: () => note('forget', undefined),
    },
    forgetRows: () => note('forget rows', undefined),
    rejects: { erase: noteLater('erase rejects of') },
    forgetAlerts: noteLater('forget alerts of'),
    tokensPath,
    log: (line) => void logged.push(line),
  })
  const rest = { isOfWholeProject, acceptedUs: Date.UTC(2026, 10, 20) * 1000, dropped: [] }
  const erasing: Erasing = { deletion, ...rest, saveDropped: async () => {} }
  for (const place of places) place.hide?.(deletion)
  calls.push('')
  for (const place of places) await place.erase?.(erasing, new AbortController().signal)
  return { calls, logged, tokensPath }
}

describe('the places of rows besides the engine', () => {
  it('forget alerts and tokens with a whole project, alerts also before the rows are erased', async () => {
    const { calls, logged, tokensPath } = await callsOf(ALL, true)
    const hidden = ['hide groups', 'forget rows', 'forget alerts of shop']
    expect(calls).toEqual([...hidden, '', 'regroup', 'erase rejects of shop', 'forget alerts of shop'])
    expect([readTokenEntries(tokensPath), logged]).toEqual([[], ['revoked the tokens of the deletion d: 00000001']])
  })

  it('keep alerts and tokens with a part of a project', async () => {
    for (const deletion of PARTS) {
      const { calls, tokensPath } = await callsOf(deletion, false)
      expect(calls).toEqual(['hide groups', 'forget rows', '', 'regroup', 'erase rejects of shop'])
      expect(readTokenEntries(tokensPath)).toHaveLength(1)
    }
  })

  it('say that tokens could not be revoked, and go on', async () => {
    const { logged } = await callsOf(ALL, true, '{"tokens":')
    expect(logged).toEqual([expect.stringMatching(/^the tokens of the deletion d are not revoked: .*tokens\.json/)])
  })
})
