import { describe, expect, it, onTestFinished } from 'vitest'
import { testRule } from '../../../src/alerts/backtest/test-rule.js'
import { createTransitions } from '../../../src/alerts/backtest/transitions.js'
import type { AlertEvent } from '../../../src/alerts/states/state.js'
import { LogweirError } from '../../../src/base/errors.js'
import { SECOND_US } from '../../../src/base/units.js'
import { appendAll, openEngine } from '../../support/engine.js'
import { mutated } from '../../support/mutated-sql.js'
import { mulberry32 } from '../../support/random.js'
import { edge } from '../../support/records.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'

const NOW_US = Date.UTC(2026, 10, 29, 12) * 1_000
const RULE = `-- alert: every 30s, delay 0s
-- text: {path} fails: {errors}
select project, request.path, count(*) as errors
from edge_logs
where timestamp > timestamp_sub(current_timestamp(), interval 1 minute)
group by project, path`

async function openContext() {
  const engine = openEngine()
  const empty = openEngine()
  onTestFinished(async () => {
    await engine.close()
    await empty.close()
  })
  const metadata = { request: { path: '/x\u202e' } }
  await appendAll(engine, [edge({ timestampUs: NOW_US - 90 * SECOND_US, metadata })])
  return { engine, clock: { nowUs: () => NOW_US }, tryPlan: async (plan: never) => void (await empty.run(plan)) }
}

const test = async (rule: string, last = '1h') => testRule({ rule, last }, await openContext(), {})

describe('the test of a rule', () => {
  it('answers with the transitions', async () => {
    const labels = { project: 'a', path: '/x\u202e' }
    const content = { labels, values: { errors: 1 }, text: '/x\\u202e fails: 1' }
    expect(await test(RULE, '3m')).toEqual({
      result: [
        { instant: '2026-11-29T11:58:30.000Z', state: 'firing', ...content },
        { instant: '2026-11-29T11:59:30.000Z', state: 'resolved', ...content },
      ],
      ...{ steps: 6, failed: 0, method: 'buckets', omitted: 0 },
      ...{ from: '2026-11-29T11:57:30.000Z', to: '2026-11-29T12:00:00.000Z' },
      note: 'by timestamps of the rows that are there now',
    })
  })

  it('says that it evaluates only the latest instants', async () => {
    const { steps, note, from } = await test(
      RULE.replace('timestamp_sub(', 'timestamp_trunc(current_timestamp(), hour) -- '),
      '1d',
    )
    expect([steps, from]).toEqual([1_000, '2026-11-29T03:40:30.000Z'])
    expect(note).toBe(
      'by timestamps of the rows that are there now; only the latest 1,000 of 2,880 instants, ' +
        'since each is a query of its own',
    )
  })

  it.each([
    ['', 'invalid_rule', 'there is no "-- alert: every 30s" above the query (line 1)'],
    ['-- alert: every 30s\nselect x from edge_logs group', 'invalid_rule', '(line 2, column'],
    [RULE.replace('every 30s', 'evry 30s'), 'invalid_rule', '(line 1, column 11)'],
    [RULE.replace('{path}', '{pth}'), 'invalid_rule', 'Did you mean path? (line 2, column 10)'],
    [RULE.replace('edge_logs', 'egde_logs'), 'invalid_rule', '(line 4, column 6)'],
    [RULE.replace('count(*)', '@x'), 'invalid_rule', '(line 3, column'],
    [RULE.replace('count(*)', "countif(regexp_contains(id, r'('))"), 'invalid_rule', ''],
  ])('refuses the rule %j', async (rule, code, place) => {
    await expect(test(rule)).rejects.toMatchObject({ code, message: expect.stringContaining(place) })
  })

  it.each([
    '',
    '7',
    '7 weeks',
    '-1d',
    '1e3s',
    '91d',
    '0s',
    '999999999d',
    '29s',
    '7d\u202e',
  ])('refuses the time %j', async (last) => {
    await expect(test(RULE, last)).rejects.toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringMatching(/^The parameter "last" is .* such as 7d\.$/),
    })
  })

  it('answers any text with transitions or an error of its own', { timeout: 60_000 }, async () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    const context = await openContext()
    let refused = 0
    for (let i = 0; i < runs(2_000); i++) {
      const rule = mutated(RULE, random)
      try {
        await testRule({ rule, last: '2m' }, context, {})
      } catch (error) {
        refused++
        expect(error, `seed ${seed}: ${JSON.stringify(rule)}`).toBeInstanceOf(LogweirError)
      }
    }
    expect(refused).toBeGreaterThan(0)
  })
})

describe('the transitions that are kept', () => {
  const event = (instantUs: number, text: string): AlertEvent => {
    const where = { rule: 'a', identity: 'a', labels: [], values: [] }
    return { ...where, state: 'firing', instantUs, startsUs: instantUs, text }
  }
  const kept = (limits: { transitions: number; bytes: number }, text = '') => {
    const transitions = createTransitions(limits)
    for (let i = 0; i < 10; i += 2) transitions.add([event(i, text), event(i + 1, text)])
    const { events, omitted } = transitions.finish()
    return [events.map(({ instantUs }) => instantUs), omitted]
  }

  it('are all, if there is room', () => {
    expect(kept({ transitions: 10, bytes: 1e6 })).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 0])
  })

  it('are the latest beyond a number or bytes', () => {
    expect(kept({ transitions: 3, bytes: 1e6 })).toEqual([[7, 8, 9], 7])
    expect(kept({ transitions: 10, bytes: 2_500 }, 'x'.repeat(1_000))).toEqual([[8, 9], 8])
    expect(kept({ transitions: 10, bytes: 0 })).toEqual([[], 10])
  })
})
