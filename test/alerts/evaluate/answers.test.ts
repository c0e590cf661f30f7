import { describe, expect, it } from 'vitest'
import { alertsAnswer, MAX_LISTED_ALERTS, rulesAnswer } from '../../../src/alerts/evaluate/answers.js'
import type { RuleView } from '../../../src/alerts/evaluate/evaluator.js'
import type { Alert, Resolved } from '../../../src/alerts/states/state.js'
import { SECOND_US } from '../../../src/base/units.js'
import { below, mulberry32, type Random } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { alertOf, resolvedOf, viewOf } from '../views.js'

const NOW_US = 1_000 * SECOND_US
const ALL = undefined
const pending = alertOf([['project', 'a']], 10)
const firing = alertOf([['project', 'b']], 20, 80)

describe('the lists of alerts and rules', () => {
  const view = viewOf('slow', {
    lastUs: 90 * SECOND_US,
    alerts: new Map([
      ['1', pending],
      ['2', firing],
    ]),
    resolved: new Map([['3', resolvedOf([['project', 'a']], 5, 60)]]),
  })

  it('have the newest state first', () => {
    const common = { rule: 'slow', severity: 'warning', is_muted: false }
    expect(alertsAnswer([view], NOW_US, ALL)).toEqual([
      {
        ...{ ...common, state: 'firing', labels: { project: 'b' }, values: { n: 1 }, text: 'b' },
        active_at: '1970-01-01T00:00:20.000Z',
        ...{ starts_at: '1970-01-01T00:01:20.000Z', ends_at: null },
      },
      {
        ...{ ...common, state: 'resolved', labels: { project: 'a' }, values: {}, text: 'over' },
        active_at: '1970-01-01T00:00:05.000Z',
        ...{ starts_at: '1970-01-01T00:00:05.000Z', ends_at: '1970-01-01T00:01:00.000Z' },
      },
      {
        ...{ ...common, state: 'pending', labels: { project: 'a' }, values: { n: 1 }, text: 'a' },
        ...{ active_at: '1970-01-01T00:00:10.000Z', starts_at: null, ends_at: null },
      },
    ])
  })

  it('have rules by name, with what a token of all projects may know', () => {
    expect(rulesAnswer([view, viewOf('early', {})], NOW_US, ALL)).toEqual([
      expect.objectContaining({ name: 'early', health: 'new', last_evaluation: null, pending: 0, firing: 0 }),
      {
        ...{ name: 'slow', summary: 'A rule', severity: 'warning' },
        ...{ every: 30, for: 60, keep_firing: 0, delay: 10, repeat: 14_400, labels: ['project', 'path'] },
        ...{ muted: null, health: 'ok', last_evaluation: '1970-01-01T00:01:30.000Z', pending: 1, firing: 1 },
        ...{ notify: 'ops', reason: null, query: view.rule.text },
      },
    ])
  })

  it('say that a rule is muted, until it is not', () => {
    const muted = viewOf('m', { alerts: new Map([['1', firing]]) }, '-- muted: until 1970-01-01T01:00Z, repair\n')
    expect(rulesAnswer([muted], NOW_US, ALL)).toMatchObject([
      { muted: { until: '1970-01-01T01:00:00.000Z', reason: 'repair' } },
    ])
    expect(alertsAnswer([muted], NOW_US, ALL)).toMatchObject([{ is_muted: true }])
    expect(rulesAnswer([muted], 4 * NOW_US, ALL)).toMatchObject([{ muted: null }])
    expect(alertsAnswer([muted], 4 * NOW_US, ALL)).toMatchObject([{ is_muted: false }])
  })

  it('say why a rule is broken, or what its last failure was', () => {
    const broken = { startsUs: 70 * SECOND_US, notifiedUs: undefined, reason: 'too much' }
    expect(rulesAnswer([viewOf('b', { broken, lastUs: 0 }, '', 'other')], NOW_US, ALL)).toMatchObject([
      { health: 'broken', reason: 'too much' },
    ])
    expect(rulesAnswer([viewOf('f', { lastUs: 0 }, '', 'once')], NOW_US, ALL)).toMatchObject([
      { health: 'ok', reason: 'once' },
    ])
    const [alert] = alertsAnswer([viewOf('b', { broken })], NOW_US, ALL)
    expect(alert).toMatchObject({ rule: 'LogweirRuleBroken', state: 'firing', labels: { rule: 'b' } })
  })

  it('are bounded', () => {
    const many = Array.from({ length: MAX_LISTED_ALERTS + 1 }, (_, i) => [`${i}`, alertOf([], i, i)] as const)
    const answer = alertsAnswer([viewOf('m', { alerts: new Map(many) })], NOW_US, ALL)
    expect(answer.length).toBe(MAX_LISTED_ALERTS)
    expect(answer.at(-1)).toMatchObject({ starts_at: '1970-01-01T00:00:01.000Z' })
  })
})

/** Every label, text and reason about a project has this mark and the project, so that a leak can be seen. */
const marked = (project: string, random: Random) => `<${project}>${below(random, 1e6)}`

const PROJECTS = ['p0', 'p1', 'p2', 'p3', '']

function randomView(random: Random, i: number): RuleView {
  const alerts = new Map<string, Alert>()
  const resolved = new Map<string, Resolved>()
  for (let n = below(random, 8); n > 0; n--) {
    const project = PROJECTS[below(random, PROJECTS.length)]!
    const path = ['path', marked(project, random)] as const
    const labels = project === '' ? [path] : [path, ['project', project] as const]
    if (below(random, 3) === 0) resolved.set(`${n}`, resolvedOf(labels, n, n + 1))
    else alerts.set(`${n}`, alertOf(labels, n, below(random, 2) === 0 ? undefined : n + 1))
  }
  const reason = `equal labels ${marked('p3', random)}`
  const broken = below(random, 4) === 0 ? { startsUs: 0, notifiedUs: undefined, reason } : undefined
  return viewOf(`rule${i % 7}`, { alerts, resolved, broken }, '', below(random, 4) === 0 ? reason : undefined)
}

it('a bound token sees no label, text or count of another project', () => {
  const seed = testSeed()
  const random = mulberry32(seed)
  for (let i = 0; i < runs(10_000); i++) {
    const views = [randomView(random, i)]
    const bound = new Set(['p0', 'p1', 'p2'].filter(() => below(random, 2) === 0))
    const [alerts, rules] = [alertsAnswer(views, NOW_US, bound), rulesAnswer(views, NOW_US, bound)]
    const about = `seed ${seed}, run ${i}`
    for (const project of PROJECTS.filter((one) => !bound.has(one)))
      expect(JSON.stringify([alerts, rules]), about).not.toMatch(new RegExp(`<${project}>|"${project || '<>'}"`))
    expect(
      rules.flatMap((rule) => Object.keys(rule)),
      about,
    ).not.toContain('query')
    expect(JSON.stringify(rules), about).not.toMatch(/ops|select|reason":"/)
    const own = [...views[0]!.state.alerts.values()].filter(({ text }) => [...bound].some((one) => text.endsWith(one)))
    const fires = own.filter(({ startsUs }) => startsUs !== undefined).length
    expect(rules, about).toMatchObject([{ firing: fires, pending: own.length - fires }])
    const isActive = ({ state }: { state?: string }) => state !== 'resolved'
    expect(alerts.filter(isActive).length, about).toBe(own.length)
  }
})
