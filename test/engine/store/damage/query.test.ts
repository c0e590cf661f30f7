import { describe, expect, it } from 'vitest'
import { contains, count, Rows, scan } from '../../../../src/plan/builder.js'
import type { Plan } from '../../../../src/plan/plan.js'
import { toBatch } from '../../../support/batch.js'
import { readAll } from '../../../support/engine.js'
import { createModelFiles, type ModelFiles } from '../../../support/model-files.js'
import { mulberry32 } from '../../../support/random.js'
import { edge, type TestRecord } from '../../../support/records.js'
import { cachedBytes } from '../support.js'
import { NOW_US, openOver } from './sample.js'

const SEGMENTS = 4
const ROWS = 40
/** Long texts that no compression makes short, so that an answer of all rows takes several chunks. */
const textOf = (row: string) => {
  const random = mulberry32(Buffer.from(row).reduce((sum, byte) => sum * 31 + byte, 7))
  return `text ${row} ${Array.from({ length: 400 }, () => random().toString(36).slice(2, 8)).join(' ')}`
}
const ALWAYS = { fromUs: 0, throughUs: NOW_US }

const recordsOf = (segment: number): TestRecord[] =>
  Array.from({ length: ROWS }, (_, i) =>
    edge({
      id: `${segment}-${i}`,
      timestampUs: NOW_US - 1_000_000 * (SEGMENTS - segment) + i,
      project: 'a',
      event_message: textOf(`${segment}-${i}`),
      metadata: { request: { url: `u${i % 3}` }, other: { m: i }, list: [{ k: i }] },
    }),
  )

/** Four segments of one source, and the paths of the directories. */
async function makeFiles(): Promise<{ files: ModelFiles; paths: string[] }> {
  const files = createModelFiles()
  const { engine } = openOver(files)
  await engine.recover()
  for (let segment = 0; segment < SEGMENTS; segment++) {
    await engine.append(toBatch('edge_logs', recordsOf(segment)))
    await engine.seal()
  }
  await engine.close()
  const paths = files.paths().filter((path) => path.endsWith('hot.arrow'))
  return { files: files.restart(), paths: paths.map((path) => path.replace('/hot.arrow', '')).sort() }
}

const planOf = (rows: Rows<string>): Plan => Rows.planOf(rows)
const edges = () => scan('edge_logs', ALWAYS)
const IN_ORDER: Plan = edges().select('timestamp', 'id', 'event_message').orderBy('timestamp').limit(1000)

/** Plans that read cold or hot columns, and the number of rows that a plan counts or returns in each segment. */
const READERS: [name: string, plan: Plan, rowsOf: (answer: readonly Record<string, unknown>[]) => number][] = [
  ['rows in order of time', IN_ORDER, (rows) => rows.length],
  ['ids alone', planOf(edges().select('id')), (rows) => rows.length],
  [
    'a count of texts',
    planOf(edges().filter(contains('event_message', 'text')).group().aggregate({ n: count() })),
    nOf,
  ],
  ['groups of a field', planOf(edges().group('other.m').aggregate({ n: count() })), nOf],
  ['groups of a text', planOf(edges().group('event_message').aggregate({ n: count() })), nOf],
  [
    'a union',
    [{ op: 'union', plans: [planOf(edges().select('id')), planOf(edges().select('id'))] }],
    (rows) => rows.length / 2,
  ],
]

function nOf(rows: readonly Record<string, unknown>[]): number {
  return rows.reduce((sum, { n }) => sum + Number(n), 0)
}

/** Ways to damage a segment so that a query finds the damage, not the start. */
const DAMAGES: [name: string, damage: (files: ModelFiles, path: string) => void][] = [
  ['a flipped bit in each batch of the cold file', (files, path) => flipAll(files, `${path}/cold.arrow`)],
  ['a cold file that is missing when it is read', (files, path) => files.replace(`${path}/cold.arrow`, false)],
  ['a cold file that cannot be read', (files, path) => files.breakFile(`${path}/cold.arrow`, 'EIO')],
  ['a folder in the place of the cold file', (files, path) => files.replace(`${path}/cold.arrow`, true)],
  ['a cold file without rights', (files, path) => files.breakFile(`${path}/cold.arrow`, 'EACCES')],
]

function flipAll(files: ModelFiles, path: string): void {
  const bytes = files.peek(path)!
  for (let at = 600; at < (bytes.length * 7) >> 3; at += 500) bytes[at]! ^= 4
  files.put(path, bytes)
}

async function run(engine: ReturnType<typeof openOver>['engine'], plan: Plan) {
  return readAll(await engine.run(plan))
}

describe.each(DAMAGES)('D4: %s', (_, damage) => {
  it.each(READERS)('is found by %s, which answers without the segment', async (_, plan, rowsOf) => {
    const { files, paths } = await makeFiles()
    const { engine, metrics, logged } = openOver(files)
    await engine.recover()
    damage(files, paths[1]!)
    expect(rowsOf(await run(engine, plan))).toBe((SEGMENTS - 1) * ROWS)
    expect(rowsOf(await run(engine, plan))).toBe((SEGMENTS - 1) * ROWS)
    expect(logged.map(({ code, path }) => [code, path])).toEqual([['segment_damaged', paths[1]]])
    expect((await metrics.damagedSegments.get()).values[0]!.value).toBe(1)
    expect(engine.stats().find(({ source }) => source === 'edge_logs')!.rows).toBe((SEGMENTS - 1) * ROWS)
    await engine.close()
    expect(files.has(paths[1]!)).toBe(true)
  })
})

describe('D4: damage in a segment', () => {
  it('is found once by queries that run at the same time', async () => {
    const { files, paths } = await makeFiles()
    const { engine, logged } = openOver(files)
    await engine.recover()
    for (const path of paths.slice(0, 2)) flipAll(files, `${path}/cold.arrow`)
    const answers = await Promise.all(READERS.map(async ([, plan, rowsOf]) => rowsOf(await run(engine, plan))))
    expect(answers).toEqual(READERS.map(() => (SEGMENTS - 2) * ROWS))
    expect(logged.map(({ path }) => path).sort()).toEqual(paths.slice(0, 2))
    await engine.close()
  })

  it('takes the cached results of the segment with it', async () => {
    const { files, paths } = await makeFiles()
    const { engine, metrics, logged } = openOver(files)
    await engine.recover()
    const counts = planOf(edges().group('request.url').aggregate({ n: count() }))
    expect(nOf(await run(engine, counts))).toBe(SEGMENTS * ROWS)
    flipAll(files, `${paths[2]}/cold.arrow`)
    // Cached results of intact columns are returned until the damage is found.
    expect(nOf(await run(engine, counts))).toBe(SEGMENTS * ROWS)
    const before = await cachedBytes(metrics, 'partials')
    await run(engine, planOf(edges().select('event_message')))
    expect(await cachedBytes(metrics, 'partials')).toBeLessThan(before!)
    expect(nOf(await run(engine, counts))).toBe((SEGMENTS - 1) * ROWS)
    expect(logged).toHaveLength(1)
    await engine.close()
  })

  it('that is found after the first rows were returned leaves out damaged rows only', async () => {
    const { files, paths } = await makeFiles()
    const { engine, logged } = openOver(files)
    await engine.recover()
    const ids: string[] = []
    for await (const { id } of await engine.run(IN_ORDER)) {
      // Rows of the first segment arrive before the last segment is read.
      if (ids.length === 0) flipAll(files, `${paths[3]}/cold.arrow`)
      ids.push(String(id))
    }
    const expected = [0, 1, 2].flatMap((segment) => recordsOf(segment).map(({ id }) => id))
    expect(ids.filter((id) => !id.startsWith('3-'))).toEqual(expected)
    // Rows that were read before the damage may be in the row cache.
    expect(ids.length - expected.length).toBeLessThan(ROWS / 2)
    expect(logged).toHaveLength(1)
    await engine.close()
  })

  it('is not that the process has too many open files: the query fails, and the next one has all rows', async () => {
    for (const code of ['EMFILE', 'ENFILE', 'ENOMEM', 'ENOSPC', 'EROFS']) {
      const { files } = await makeFiles()
      const { engine, logged } = openOver(files)
      await engine.recover()
      files.fail({ code, after: 5, only: ['openToRead'] })
      const [, plan, rowsOf] = READERS[0]!
      await expect(run(engine, plan)).rejects.toMatchObject({ code })
      expect([rowsOf(await run(engine, plan)), logged]).toEqual([SEGMENTS * ROWS, []])
      await engine.close()
    }
  })

  it('does not end a subscription, whose first rows are those of the other segments', async () => {
    const { files, paths } = await makeFiles()
    const { engine } = openOver(files)
    await engine.recover()
    flipAll(files, `${paths[0]}/cold.arrow`)
    const columns = ['id', 'event_message']
    const seen: string[] = []
    const subscription = await engine.follow({ source: 'edge_logs', project: 'a', columns }, (rows) => {
      for (const { id } of rows) seen.push(String(id))
    })
    const { rows, delivered } = await subscription.run(planOf(edges().select('id', 'event_message')))
    await engine.append(toBatch('edge_logs', [edge({ id: 'new', timestampUs: NOW_US, project: 'a' })]))
    expect([(await readAll(rows)).length, delivered, seen]).toEqual([(SEGMENTS - 1) * ROWS, 0, ['new']])
    subscription.stop()
    await engine.close()
  })
})
