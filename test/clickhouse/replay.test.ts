import { expect, it, onTestFinished } from 'vitest'
import { generate } from '../../src/generate/generate.js'
import { projectRef, SMALL_RANK, TOP_RANK } from '../../src/generate/values/projects.js'
import { isMean } from '../oracle/compare.js'
import type { PlainRow } from '../oracle/oracle.js'
import { serve, until } from '../program/support/program.js'
import { findServer, sharedCluster, WHY_NO_SERVER } from './cluster.js'
import { describeWhere } from './needs.js'
import { serveOn } from './service.js'
import { targetOn } from './targets.js'

const SEED = 5
const ROWS = 10_000
const PROJECTS = [TOP_RANK, 2, 9, SMALL_RANK].map((rank) => projectRef(SEED, rank))
const QUERY = '/api/endpoints/query'

/** Returns the queries of a dashboard, including invalid queries. */
function requests(): string[] {
  const ask = (endpoint: string, params: Record<string, string>) =>
    `${QUERY}/${endpoint}?${new URLSearchParams(params)}`
  return [
    ...[...PROJECTS, 'nobody'].flatMap((project) => [
      ...['FREE', 'PRO', 'ENTERPRISE'].map((project_tier) => ask('logs.all', { project, project_tier })),
      ask('logs.all', {
        project,
        project_tier: 'PRO',
        iso_timestamp_end: new Date(Date.now() - 3 * 86_400e3).toISOString(),
      }),
      ...['5min', '15min', '1hr', '1day', '7day'].map((interval) =>
        ask('functions.invocation-stats', { project, interval }),
      ),
      ...['minutely', 'hourly', 'daily', 'x'].map((interval) => ask('usage.api-counts', { project, interval })),
    ]),
    ...['https://[a-m][a-z]+\\.supabase', '(?i)SUPABASE', '^$', 'storage|auth'].map((project) =>
      ask('usage.api-counts', { project, interval: 'daily' }),
    ),
    ask('functions.invocation-stats', {}),
    ask('usage.api-counts', { project: 'a(', interval: 'daily' }),
    ask('logs.all', { project: 'a', iso_timestamp_start: 'yesterday' }),
    ask('nothing', {}),
  ]
}

/** Expects equal rows. Percentiles of many values may differ by some ranks, averages in the last digits. */
function expectSameRows(one: readonly PlainRow[], other: readonly PlainRow[]): void {
  const forgiven = other.map((row, i) => {
    const same = { ...row }
    for (const name of ['p95_execution_time', 'p99_execution_time']) {
      const [a, b] = [one[i]?.[name], row[name]]
      const isSmall = Number(row.count) <= 100
      if (typeof a === 'number' && typeof b === 'number' && !isSmall && Math.abs(a - b) <= 0.2 * Math.abs(b))
        same[name] = a
    }
    const [a, b] = [one[i]?.avg_execution_time, row.avg_execution_time]
    if (typeof a === 'number' && typeof b === 'number' && isMean(a, b)) same.avg_execution_time = a
    return same
  })
  expect(forgiven).toEqual(one)
}

describeWhere(findServer(), 'clickhouse-server', WHY_NO_SERVER, 'the same requests to both engines', () => {
  it('give the same rows, and the same errors byte for byte', async () => {
    const cluster = await sharedCluster()
    const target = await targetOn(cluster)
    onTestFinished(() => target.stop())
    const both = [await serve(), await serveOn(cluster)]
    const made = generate({
      rows: ROWS,
      seed: SEED,
      source: 'all',
      endUs: Date.now() * 1000,
      spanUs: 8 * 86_400e6,
      slim: false,
      projects: 50,
      badEvery: 1_000,
    })
    for await (const chunk of made) for (const { child } of both) child.stdin!.write(chunk)
    const ends = both.map(({ child, waitForStderr }) => {
      child.stdin!.end()
      return waitForStderr(/standard input ended: (.*)/)
    })
    const [[, one], [, other]] = (await Promise.all(ends)) as [RegExpExecArray, RegExpExecArray]
    expect(other).toBe(one)
    // The server has confirmed every insert.
    await until(
      async () => (await (await both[1]!.get('/metrics')).text()).match(/^logweir_rows\{.*\} [1-9]/m),
      (held) => held === null,
    )

    let rows = 0
    for (const path of requests()) {
      const [answer, other] = await Promise.all(both.map(({ get }) => get(path)))
      expect([path, other!.status]).toEqual([path, answer!.status])
      const [text, otherText] = [await answer!.text(), await other!.text()]
      if (answer!.status !== 200 || !path.includes('stats')) {
        expect([path, otherText]).toEqual([path, text])
      } else {
        expectSameRows(JSON.parse(text).result, JSON.parse(otherText).result)
      }
      if (answer!.status === 200) rows += JSON.parse(text).result.length
    }
    expect(rows).toBeGreaterThan(1_000)
  })
})
