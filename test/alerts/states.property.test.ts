import { describe, expect, it } from 'vitest'
import { createCollector } from '../../src/alerts/states/collect.js'
import { identityOf, labelOf, sortedLabels } from '../../src/alerts/states/labels.js'
import { NEW_STATE, type RuleState } from '../../src/alerts/states/state.js'
import { changed, changeOf, readChange, type StateChange, stateToJson } from '../../src/alerts/states/state-json.js'
import { dueInstant, type Timing } from '../../src/alerts/states/timing.js'
import { held, type JudgedRule, type Outcome, transition } from '../../src/alerts/states/transition.js'
import { MINUTE_US, SECOND_US } from '../../src/base/units.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { createModel, type ModelRow } from './states-model.js'

const LIMITS = { ofProject: 3, ofRule: 7 }
const RULE = 'edge.errors'
const S = SECOND_US

function randomTiming(random: Random): Timing {
  const everyUs = oneOf(random, [1 * S, 7 * S, 30 * S, MINUTE_US, 10 * MINUTE_US])
  const spans = [0, 0, everyUs - 1, everyUs, 3 * everyUs, 7 * MINUTE_US]
  const repeatUs = oneOf(random, [everyUs, 5 * everyUs, 240 * MINUTE_US])
  return { everyUs, forUs: oneOf(random, spans), keepFiringUs: oneOf(random, spans), delayUs: 0, repeatUs }
}

/** Rows with distinct labels: alerts that come and go, of three projects or none. */
function randomRows(random: Random, density: number): ModelRow[] {
  const projects = [undefined, 'a', 'a', 'b', 'c']
  const all = projects.flatMap((project, p) => [0, 1, 2].map((i) => ({ project, path: `/${p}/${i}` })))
  return all.filter(() => random() < density)
}

const labelsOf = ({ project, path }: ModelRow) =>
  sortedLabels([...(project === undefined ? [] : [['project', project] as const]), ['path', path]])

/** The outcome of an evaluation as the evaluator makes it. */
function outcomeOf(state: RuleState, rows: readonly ModelRow[] | undefined): Outcome {
  if (rows === undefined) return { kind: 'failed', reason: 'too_many_groups' }
  const collector = createCollector(RULE, state, LIMITS)
  for (const row of rows) {
    collector.add({ labels: labelsOf(row), contentOf: (labels) => ({ labels, values: [['n', 1]], text: '' }) })
  }
  return { kind: 'rows', rows: collector.finish() }
}

/**
 * The events as the history and receivers see them: the rule or the labels, the state and the instant, in any order.
 */
const told = (events: readonly { rule: string; labels: readonly (readonly [string, string])[]; state: string }[]) =>
  events
    .map((event) => {
      const [project, path] = ['project', 'path'].map((name) => labelOf(event.labels, name))
      const name = event.rule === RULE ? `${project ?? ''}|${path ?? 'too_many'}` : 'broken'
      return `${name} ${event.state}`
    })
    .sort()

const phases = ({ alerts }: RuleState) =>
  [...alerts.values()]
    .map(({ labels, startsUs }) => {
      const [project, path] = ['project', 'path'].map((name) => labelOf(labels, name))
      return `${project ?? ''}|${path ?? 'too_many'} ${startsUs === undefined ? 'pending' : 'firing'}`
    })
    .sort()

/** Returns a change as the next process reads it. */
const reread = (change: StateChange) => readChange(JSON.parse(JSON.stringify(change)))

/** A state as JSON, without the changing numbers of alerts beyond the limits: values alone are not written. */
const withoutCounts = (state: RuleState) => JSON.stringify(stateToJson(state)).replace(/"alerts",\d+|\d+ more/g, '')

/** Runs a random history through the states and the model, and counts what happened. */
function runHistory(random: Random, counts: Map<string, number>): void {
  const timing = randomTiming(random)
  const startUs = 1_000_000 * MINUTE_US
  const mutedUntilUs = oneOf(random, [Number.NEGATIVE_INFINITY, startUs + 20 * timing.everyUs])
  const rule: JudgedRule = { name: RULE, timing, mutedUntilUs }
  const model = createModel({ ...timing, mutedUntilUs, limits: LIMITS })
  const density = random()
  let [nowUs, armedUs] = [startUs + below(random, 2) * below(random, timing.everyUs), 0]
  /** The state as the file has it: the sum of the changes. */
  let written = NEW_STATE
  let state = NEW_STATE

  function hold(isStart: boolean): void {
    armedUs = nowUs
    state = held(state, timing, nowUs)
    model.hold(nowUs, isStart)
  }

  hold(true)
  for (let step = 0; step < 30; step++) {
    const event = random()
    if (event < 0.04) {
      state = changed(NEW_STATE, reread(stateToJson(written)))
      hold(true)
    } else if (event < 0.07) {
      nowUs += oneOf(random, [-90 * MINUTE_US, -2 * MINUTE_US, 2 * MINUTE_US, 90 * MINUTE_US])
      hold(false)
    } else if (event < 0.12) nowUs += below(random, 9 * timing.everyUs)
    else nowUs += timing.everyUs - below(random, 2) * below(random, timing.everyUs)
    const due = dueInstant(timing.everyUs, { nowUs, armedUs, lastUs: state.lastUs })
    if (due?.instantUs !== model.due(nowUs, armedUs)) expect(due?.instantUs).toBe(model.due(nowUs, armedUs))
    if (due === undefined) continue
    const rows = random() < 0.15 ? undefined : randomRows(random, oneOf(random, [0, density, density, 1]))
    const expected = model.evaluate(rows, due.instantUs)
    const { state: next, events, notices } = transition(rule, state, outcomeOf(state, rows), due.instantUs)
    const got = { events: told(events), notices: told(notices), active: phases(next) }
    // Vitest compares slowly.
    if (JSON.stringify(got) !== JSON.stringify(expected)) expect(got).toEqual(expected)
    written = changed(written, reread(changeOf(state, next)))
    state = next
    const [kept, whole] = [written, state].map(withoutCounts)
    if (kept !== whole) expect(kept).toBe(whole)
    for (const name of [...expected.events, ...expected.notices.map((one) => `! ${one}`)]) {
      const kind = name.replace(/\S*\|\S+/, (label) => (label.endsWith('too_many') ? 'too_many' : 'alert'))
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
  }
}

describe('states of alerts', () => {
  it('equal those of the model, over random histories', () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    const counts = new Map<string, number>()
    for (let run = 0; run < runs(10_000); run++) {
      try {
        runHistory(random, counts)
      } catch (error) {
        throw Object.assign(error as Error, { message: `seed ${seed}, history ${run}: ${(error as Error).message}` })
      }
    }
    for (const alert of ['alert', 'too_many', 'broken']) {
      for (const kind of [`${alert} firing`, `${alert} resolved`, `! ${alert} firing`, `! ${alert} resolved`]) {
        expect([kind, (counts.get(kind) ?? 0) > 0]).toEqual([kind, true])
      }
    }
    expect(counts.get('alert pending')).toBeGreaterThan(0)
  })

  it('have an identity of the rule and the full labels', () => {
    expect(identityOf('a', [['b', 'c']])).not.toBe(identityOf('a', [['b', 'd']]))
    expect(identityOf('a', [])).not.toBe(identityOf('b', []))
  })
})
