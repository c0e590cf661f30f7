import { expect, onTestFinished, test } from 'vitest'
import { DAY_US, HOUR_US, SECOND_US } from '../../../src/base/units.js'
import { createFakeClock } from '../../support/clock.js'
import { at, createSubscribeApp, namesOf, sqlPath } from './support.js'
import { openViewEngine } from './view-engine.js'

/** Views that are followed. */

const TEXT = `-- view: keep 48h
select timestamp_trunc(timestamp, hour) as hour, request.path, count(*) as n from edge_logs group by hour, path`
const PATH = '/api/endpoints/query/requests?project=a'
const READ = 'select path, sum(n) as n from view.requests group by path'

/** An app with a view of requests by hour and path. */
async function createViewApp() {
  const clock = createFakeClock()
  const { engine, work, endpoints } = await openViewEngine(TEXT, clock)
  onTestFinished(work.stop)
  return { ...createSubscribeApp({ clock, engine, endpoints }), work }
}

test('a view is followed: rows of a project, also late ones, are sent within 2.5 s', async () => {
  const { follow, bring, pass, ask, clock } = await createViewApp()
  await bring(at('/a'))
  const client = await follow(PATH)
  expect(client.rows()).toEqual(await ask(PATH))
  await bring(at('/a'), at('/b'), at('/late', { timestampUs: clock.nowUs() - 30 * HOUR_US }))
  await pass(2_500)
  expect(client.rows()).toHaveLength(3)
  expect(client.rows()).toEqual(await ask(PATH))
  await bring(at('/c', { project: 'b' }))
  await pass(2_500)
  expect(namesOf(client)).toEqual(['snapshot', 'snapshot'])
})

test('a grouping of a view in SQL is followed by its changes', async () => {
  const { follow, bring, pass, ask } = await createViewApp()
  await bring(...['/a', '/b', '/c', '/d'].map((path) => at(path)))
  const client = await follow(sqlPath(READ))
  await bring(at('/a'))
  await pass(300)
  expect(namesOf(client)).toEqual(['snapshot', 'change'])
  expect(client.rows().sort()).toEqual((await ask(sqlPath(READ))).sort())
})

test('a bucket that is kept no longer goes, although nothing arrives', async () => {
  const { follow, bring, pass, ask, clock, evaluations } = await createViewApp()
  await bring(at('/old'), at('/new', { timestampUs: clock.nowUs() + HOUR_US }))
  const client = await follow(PATH)
  expect(client.rows()).toHaveLength(2)
  clock.setNowUs(clock.nowUs() + 2 * DAY_US + HOUR_US - 20 * SECOND_US)
  await pass(31_000)
  expect(await evaluations()).toBeLessThanOrEqual(4)
  expect(client.rows()).toEqual([expect.stringContaining('/new')])
  expect(client.rows()).toEqual(await ask(PATH))
})

test('the header says from which time on a new view is built', async () => {
  const { request, bring, engine, work } = await createViewApp()
  const headerOf = async (sql: string) => (await request(sqlPath(sql))).headers.get('logweir-view')
  await bring(at('/a'))
  await engine.seal()
  expect(await headerOf(READ)).toBe('building; from=2026-11-21T00:00:00.000Z')
  await work.finish()
  expect(await headerOf(`${READ} order by path`)).toBeNull()
})
