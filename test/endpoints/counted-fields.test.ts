import { describe, expect, it } from 'vitest'
import { GIB } from '../../src/base/units.js'
import { ownSourceNames } from '../../src/common/sources.js'
import type { ArrowEngine } from '../../src/engine/store/engine.js'
import { openOnDisk } from '../engine/plans.js'
import { oracle, type PlainRow } from '../oracle/oracle.js'
import { appendAll, ask, askBound, openEngine } from '../support/engine.js'
import { createModelFiles } from '../support/model-files.js'
import { addPathColumns } from '../support/path-columns.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { edge, type TestRecord } from '../support/records.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { allRowsOf, randomAsked, randomRecord, SOURCES, searchOf } from './random-filters.js'

/** The source of projects that tokens are bound to: an own source, if the process has one. */
const [SOURCE = 'edge_logs'] = ownSourceNames()
/** A call takes 20 ms. A process with an own source repeats a part of the calls. */
const CALLS = Math.ceil((runs(10_000) < 10_000 ? runs(2_000) : 10_000) / (SOURCE === 'edge_logs' ? 1 : 8))
/** More rows of a project and of each source than the sample has. */
const ROWS = 4_000 * SOURCES.length
const TOP = 10

/** Opens a directory with columns of a share of the paths, and with rows in an open head. */
async function openWithColumns(records: readonly TestRecord[], random: Random, share: number): Promise<ArrowEngine> {
  const files = createModelFiles()
  const limits = { sealRows: 2_000, rowsLimitBytes: GIB }
  const engine = await openOnDisk(files, limits)
  // A batch has rows of a single source.
  const bySource = records.toSorted((a, b) => (a.source < b.source ? -1 : Number(a.source > b.source)))
  const sealed = Math.floor(records.length * 0.99)
  await appendAll(engine, bySource.slice(0, sealed), 500)
  await engine.seal()
  await appendAll(engine, bySource.slice(sealed), 500)
  const restarted = files.restart()
  await addPathColumns(restarted, () => random() < share)
  return openOnDisk(restarted, limits)
}

/** The row of a field that is counted in all rows: the only row of a request with `field`, with fewer values. */
function ofAllRows(records: readonly TestRecord[], params: object, { field }: PlainRow): PlainRow {
  const [row] = oracle('logs.fields', records, { ...params, field: String(field) }, 0)
  const { json } = row!.values as { json: string }
  const items = json.slice(1, -1).split(/(?<=\}),(?=\{"value")/)
  return { ...row!, values: { json: `[${items.slice(0, TOP).join(',')}]` } }
}

describe('logs.fields of more rows than the sample has', () => {
  it('counts fields with columns in all rows, others in the newest, and says which', async () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    const records = Array.from({ length: ROWS }, (_, i) => randomRecord(random, i))
    const kinds = new Set<unknown>()
    for (const share of [1, 0.6, 0]) {
      const engine = await openWithColumns(records, random, share)
      for (let run = 0; run < 3; run++) {
        const asked = run === 0 ? allRowsOf('edge_logs') : { ...randomAsked(random), filter: [] }
        const params = Object.fromEntries(searchOf(asked))
        const ofSource = records.filter(({ source, project }) => source === asked.source && project === 'a')
        const sampled = oracle('logs.fields', ofSource, params, 0)
        const rows = await ask(engine, 'logs.fields', params, 0)
        expect(rows.map(({ field }) => field)).toEqual(sampled.map(({ field }) => field))
        for (const [i, row] of rows.entries()) {
          kinds.add(row.is_sample)
          const expected = row.is_sample ? sampled[i] : ofAllRows(ofSource, params, row)
          expect(row, `seed ${seed}, ${JSON.stringify(params)}`).toEqual(expected)
        }
      }
      await engine.close()
    }
    expect(kinds).toEqual(new Set([true, false]))
  })

  it('says nothing of other projects to a token that is bound to one', { timeout: 30 * CALLS + 60_000 }, async () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    const own = (i: number) => ({
      ...edge({ id: `o${i}`, project: 'own', timestampUs: i, metadata: ownMetadata(random) }),
      source: SOURCE,
    })
    const records = Array.from({ length: 9_000 }, (_, i) => (random() < 0.4 ? own(i) : foreign(random, i)))
    const engine = await openWithColumns(records, random, 1)
    let counted = 0
    for (let call = 0; call < CALLS; call++) {
      const end = new Date(1 + below(random, 10)).toISOString()
      const search = random() < 0.9 ? '' : oneOf(random, ['a', MARK])
      const field = random() < 0.9 ? '' : oneOf(random, ['kind', `kind${MARK}`, 'deep.key'])
      const params = { project: 'own', source: SOURCE, start: '1970-01-01', end, search, field }
      const rows = await askBound(engine, 'logs.fields', params, 0)
      const shown = rows.map((row) => (field === '' ? row : { ...row, field: '' }))
      expect(JSON.stringify(shown), `seed ${seed}, ${JSON.stringify(params)}`).not.toContain(MARK)
      const inRange = records.filter(
        ({ project, timestampUs }) => project === 'own' && timestampUs < Date.parse(end) * 1e3,
      )
      for (const { count, rows: of } of rows) {
        expect(Number(of)).toBeLessThanOrEqual(inRange.length)
        expect(Number(count)).toBeLessThanOrEqual(Number(of))
      }
      if (rows.some(({ is_sample, rows: of }) => !is_sample && Number(of) > 2_000)) counted++
    }
    expect(counted).toBeGreaterThan(0)
    await engine.close()
  })

  it('falls back to the sample where the values are too many', async () => {
    const records = Array.from({ length: 10_000 }, (_, i) =>
      edge({ timestampUs: i, metadata: { request: { path: `/${i}` } } }),
    )
    const engine = openEngine({ groupingLimits: { groups: 10, bytes: 700_000 } })
    await appendAll(engine, records)
    await engine.seal()
    const params = { project: 'a', source: 'edge_logs', start: '1970-01-01' }
    expect(await ask(engine, 'logs.fields', params, 0)).toMatchObject([{ rows: 2_000, is_sample: true }])
    await engine.close()
  })
})

/** Part of every name and value that only other projects have. */
const MARK = 'zq'

const ownMetadata = (random: Random) => ({
  kind: oneOf(random, ['a', 'b', 'c']),
  ...(random() < 0.5 && { deep: { key: below(random, 5) } }),
  request: { method: oneOf(random, ['GET', 'POST']) },
})

/** A record of another project, with the paths of the own project, other paths, and values of its own. */
function foreign(random: Random, i: number): TestRecord {
  const value = `${oneOf(random, ['a', 'b'])}${MARK}`
  const metadata = { kind: value, [`kind${MARK}`]: value, deep: { key: value }, request: { method: value } }
  const project = oneOf(random, ['other', 'ow', 'own2', null])
  return { ...edge({ id: `f${i}`, project, timestampUs: i, event_message: value, metadata }), source: SOURCE }
}
