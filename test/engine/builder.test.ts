import { describe, expect, it } from 'vitest'
import type { SourceName } from '../../src/common/sources.js'
import { atLeast, count, equals, scan, union } from '../../src/plan/builder.js'
import { agg, fn } from '../../src/plan/calls.js'
import { column, literal } from '../../src/plan/expression.js'
import { field } from '../../src/plan/names.js'
import type { Plan } from '../../src/plan/plan.js'
import { appendAll, openEngine, readAll } from '../support/engine.js'
import { edge } from '../support/records.js'

const RANGE = { fromUs: 0, throughUs: 100 }

const record = (source: SourceName, timestampUs: number, metadata: object) =>
  edge({ source, timestampUs, metadata, id: String(timestampUs) })

const RECORDS = [
  record('auth_logs', 1, { level: 'error', path: '/token', status: 400, tags: [{ name: 'a' }, { name: 'b' }] }),
  record('auth_logs', 2, { level: 'info', path: '/token', status: 200, tags: { name: 'b' } }),
  record('auth_logs', 3, { level: 'error', path: '/user', status: '500' }),
  record('storage_logs', 4, { level: 'error' }),
  record('edge_logs', 5, { url: 'own', request: { url: 'https://x.co/cart?id=1' } }),
]

async function rowsOf(plan: Plan) {
  const engine = openEngine()
  await appendAll(engine, RECORDS)
  const rows = await readAll(await engine.run(plan))
  await engine.close()
  return rows
}

const auth = () => scan('auth_logs', RANGE)

describe('plans of the builder', () => {
  it('read several sources, and one field of each', async () => {
    const plan = scan(['auth_logs', 'storage_logs'], RANGE)
      .filter(equals('metadata.level', 'error'))
      .group('metadata.path', { at: fn.extract('timestamp', 'microsecond') })
      .aggregate({ n: count() })
    expect(await rowsOf(plan.orderBy('path', 'desc', 'first').thenBy('at').limit(10))).toEqual([
      { path: null, at: 4, n: 1 },
      { path: '/user', at: 3, n: 1 },
      { path: '/token', at: 1, n: 1 },
    ])
  })

  it('read the elements of lists', async () => {
    const tags = auth().unnest(field('tags'), 'tag').group('tag.name').aggregate({ n: count() })
    expect(await rowsOf(tags.orderBy('name').limit(10))).toEqual([
      { name: 'a', n: 1 },
      { name: 'b', n: 2 },
    ])
    const all = auth().unnest('metadata.tags', 'tag', 'outer').select('id', 'tag.name')
    expect(await rowsOf(all.orderBy('id').thenBy('name').limit(10))).toEqual([
      { id: '1', name: 'a' },
      { id: '1', name: 'b' },
      { id: '2', name: 'b' },
      { id: '3', name: null },
    ])
  })

  it('unite plans, and continue behind a limit', async () => {
    const worst = auth().filter(atLeast('metadata.status', 400)).select('id').orderBy('id', 'desc').limit(1)
    const others = scan('storage_logs', RANGE).select({ name: 'id' })
    const plan = union(worst, others)
      .group()
      .aggregate({ ids: agg.count_distinct('id'), n: agg.count('id') })
    expect(await rowsOf(plan.limit(1))).toEqual([{ ids: 2, n: 2 }])
  })

  it('tell a column from a field of the same name', async () => {
    const plan = scan('edge_logs', RANGE).select('url', { own: 'metadata.url', again: field('url') }, 'url_path')
    expect(await rowsOf(plan.limit(1))).toEqual([
      { url: 'https://x.co/cart?id=1', own: 'own', again: 'own', url_path: '/cart' },
    ])
  })

  it('compute one row of no rows', async () => {
    const none = auth()
      .filter(fn.eq(literal(1), 2))
      .group()
    const columns = { n: count(), least: agg.min('timestamp'), all: agg.string_agg(column('id'), '') }
    expect(await rowsOf(none.aggregate(columns).limit(1))).toEqual([{ n: 0, least: null, all: null }])
  })
})
