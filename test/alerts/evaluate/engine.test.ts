import { expect, it, onTestFinished } from 'vitest'
import { outcomeOf } from '../../../src/alerts/evaluate/outcome.js'
import { ruleOf } from '../../../src/alerts/rules/rule.js'
import { NEW_STATE } from '../../../src/alerts/states/state.js'
import { MILLISECOND_US, MINUTE_US, SECOND_US } from '../../../src/base/units.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { appendAll, openEngine } from '../../support/engine.js'
import { edge } from '../../support/records.js'

const NOW_US = Date.UTC(2026, 10, 29, 12) * MILLISECOND_US

const QUERY = `-- alert: every 30s, delay 10s
-- text: {path} {status_code}: {n} of {methods}
select project, request.path, response.status_code, count(*) as n, array_agg(request.method) as methods
from edge_logs
where timestamp >= timestamp_sub(current_timestamp(), interval 5 minute)
group by project, path, status_code`

async function evaluate(query: string) {
  const engine = openEngine()
  onTestFinished(() => engine.close())
  const request = (secondsAgo: number, project: string, path: string | null, status: number) =>
    edge({
      id: `${secondsAgo} ${project}`,
      timestampUs: NOW_US - secondsAgo * SECOND_US,
      project,
      metadata: { request: { path, method: 'GET' }, response: { status_code: status } },
    })
  await appendAll(engine, [
    request(9, 'a', '/late', 500),
    request(10, 'a', '/x', 500),
    request(60, 'a', '/x', 500),
    request(310, 'b', null, 404),
    request(311, 'b', '/old', 404),
  ])
  const rule = ruleOf(query, 'edge.errors', readSql, NOW_US - MINUTE_US)
  return outcomeOf(rule, NEW_STATE, () => engine.run(rule.planAt(NOW_US)))
}

it('evaluates a rule over the rows of an engine: those of the window, and none behind the delay', async () => {
  const outcome = await evaluate(QUERY)
  expect(outcome.kind === 'rows' && [...outcome.rows.values()].sort((a, b) => (a.text < b.text ? -1 : 1))).toEqual([
    {
      labels: [
        ['path', '/x'],
        ['project', 'a'],
        ['status_code', '500'],
      ],
      values: [
        ['n', 2],
        ['methods', ['GET', 'GET']],
      ],
      text: '/x 500: 2 of ["GET","GET"]',
    },
    {
      labels: [
        ['project', 'b'],
        ['status_code', '404'],
      ],
      values: [
        ['n', 1],
        ['methods', ['GET']],
      ],
      text: '– 404: 1 of ["GET"]',
    },
  ])
})

it('fails if a row fails, or if two rows have the same labels', async () => {
  const failed = QUERY.replace('count(*) as n', 'sum(cast(request.method as int64)) as n')
  expect(await evaluate(failed)).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('(line 3, column 57)'),
  })
  const equal = QUERY.replace('-- text', '-- labels: project\n-- text')
  expect(await evaluate(`${equal}, timestamp`)).toMatchObject({
    kind: 'failed',
    reason: expect.stringMatching(/^Two rows have the labels \{"project":"."\}\. Group by all labels/),
  })
})

it('keeps few of many rows', async () => {
  const rule = ruleOf(QUERY, 'edge.errors', readSql, NOW_US)
  async function* rows() {
    for (let i = 0; i < 20_000; i++) yield { project: `${i % 2}`, path: `/${i}`, status_code: 500, n: 1, methods: null }
  }
  const outcome = await outcomeOf(rule, NEW_STATE, async () => rows())
  // A hundred of each project, and for each project that there are more.
  expect(outcome.kind === 'rows' && outcome.rows.size).toBe(202)
})
