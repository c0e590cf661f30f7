import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkDirectory } from '../../src/alerts/rules/check-directory.js'
import { HOUR_US } from '../../src/base/units.js'
import type { ReadView } from '../../src/engine/engine.js'
import { type Scalar, Timestamp } from '../../src/plan/values/values.js'
import { tryPlan } from '../../src/service/try-plan.js'
import { openUserEndpoints } from '../../src/user-endpoints/open.js'
import { viewsOfDirectory } from '../../src/user-endpoints/views-of-directory.js'
import { createFakeClock } from '../support/clock.js'
import { openEngine, readAll } from '../support/engine.js'

const VIEW = `-- view: keep 400d
select timestamp_trunc(timestamp, hour) as hour, request.path, count(*) as n from edge_logs group by hour, path
`
const READER = `-- param project: text, required
select timestamp_trunc(hour, day) as day, sum(n) as n from view.requests where hour >= '1970-01-01' group by day
`

function folder(files: Readonly<Record<string, string>>) {
  const directory = mkdtempSync(join(tmpdir(), 'logweir-readers-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text)
  for (const [name, text] of Object.entries(files)) write(name, text)
  return { directory, write, remove: (name: string) => unlinkSync(join(directory, name)) }
}

function open(directory: string, logged: string[] = []) {
  const options = { importModule: async () => ({}), tryPlan, nowUs: () => 0, reserved: [] }
  return openUserEndpoints(directory, { ...options, log: (message) => void logged.push(message) })
}

const at = (hour: number) => new Timestamp(hour * HOUR_US)
const GROUPS: readonly (readonly Scalar[])[] = [
  ['a', at(25), '/x', 3],
  ['a', at(1), '/x', 2],
  ['a', at(0), '/y', 1],
  ['b', at(2), '/y', 7],
]

/** Ignores the range and the project that are asked for: the plan has to leave out what it does not want. */
const readView: ReadView = async function* () {
  yield GROUPS
}

describe('a .sql file that reads a view', () => {
  it('is loaded after the view, whatever the names, and has the rows of a project', async () => {
    const { directory } = folder({ 'by-day.sql': READER, 'requests.sql': VIEW })
    const endpoints = (await open(directory)).endpoints()
    const byDay = endpoints.find(({ name }) => name === 'by-day')!
    const engine = openEngine({ readView })
    const given = new URLSearchParams('project=a')
    for (const call of [byDay.call(given), byDay.callBound(given)]) {
      const rows = await readAll(await engine.run(call.plan(0)))
      expect(rows.sort((a, b) => Number(a.day) - Number(b.day))).toEqual([
        { day: 0, n: 3 },
        { day: 24 * HOUR_US, n: 3 },
      ])
    }
    await engine.close()
  })

  it('is refused with the place if there is no such view', async () => {
    const { directory } = folder({ 'by-day.sql': READER, 'other.sql': VIEW })
    await expect(open(directory)).rejects.toThrow(
      'by-day.sql: There is no view requests. There are: other. (line 2, column 60)',
    )
  })

  it('comes back with the view', async () => {
    const clock = createFakeClock()
    const logged: string[] = []
    const { directory, write, remove } = folder({ 'by-day.sql': READER, 'requests.sql': VIEW })
    const opened = await open(directory, logged)
    let names: string[] = []
    const stop = opened.watch(clock, (all) => {
      names = all.map(({ name }) => name)
    })
    const poll = async (wanted: string[]) => {
      await expect
        .poll(() => {
          clock.advance(1_000)
          return [...names].sort()
        })
        .toEqual(wanted)
    }
    remove('requests.sql')
    write('by-day.sql', `${READER}-- changed`)
    await poll(['by-day'])
    expect(logged.at(-1)).toContain('its previous version stays: by-day. ')
    const call = opened
      .endpoints()
      .find(({ name }) => name === 'by-day')!
      .call(new URLSearchParams('project=a'))
    expect(() => call.plan(0)).toThrow('There is no view requests.')
    write('requests.sql', VIEW)
    await poll(['by-day', 'requests'])
    await expect.poll(() => logged.at(-1)).toContain('by-day.sql changed; loaded: by-day')
    expect(() => call.plan(0)).not.toThrow()
    stop()
  })

  it('cannot be a view itself', async () => {
    const text = `-- view: keep 1d
select timestamp_trunc(hour, day) as day, sum(n) as n from view.requests group by day`
    const { directory } = folder({ 'requests.sql': VIEW, 'v.sql': text })
    await expect(open(directory)).rejects.toThrow(/v\.sql: .*view.* \(line 2, column \d+\)/)
  })
})

describe('a rule that reads a view', () => {
  const RULE = (view: string) =>
    `-- alert: every 30s\nselect project, path, sum(n) as n from view.${view} where n > 1 group by project, path`

  it('can be checked with the directory of endpoints', async () => {
    const endpoints = folder({ 'requests.sql': VIEW, 'history.sql': 'not even SQL' })
    const rules = folder({ 'busy.sql': RULE('requests'), 'lost.sql': RULE('request') })
    const views = await viewsOfDirectory(endpoints.directory)
    const context = { tryPlan, hasReceiver: () => true, clock: createFakeClock() }
    const checked = await checkDirectory(rules.directory, { ...context, views })
    expect(checked.map(({ isRight }) => isRight)).toEqual([true, false])
    expect(checked[1]!.line).toContain('There is no view request. Did you mean requests?')
    const without = await checkDirectory(rules.directory, context)
    expect(without.map(({ isRight }) => isRight)).toEqual([false, false])
  })

  it('says which view is wrong', async () => {
    const { directory } = folder({ 'requests.sql': VIEW.replace('count(*)', 'string_agg(request.path)') })
    await expect(viewsOfDirectory(directory)).rejects.toThrow(/requests\.sql: .* \(line 2, column \d+\)/)
  })
})
