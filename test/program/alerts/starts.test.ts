import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run, serve, temporaryFolder, until } from '../support/program.js'
import { alertFiles, alerting, FAILING, sendFailure } from './serve-alerts.js'

const SERVE = ['serve', '--port', '0', '--in-memory']
const NOBODY = FAILING.replace(', notify ops', '')
const hook = (url: string) => `[ops]\nkind = "webhook"\nurl = ${url}\n`
const MISSING = '/missing/s3cret'

describe('a start with wrong alerts', () => {
  it.each([
    ['no receiver of that name', 2, FAILING, '', /"notify ops" names no receiver/],
    ['a missing variable', 2, FAILING, hook('{ env = "NOT_SET" }'), /NOT_SET is not set/],
    ['a missing file of a secret', 1, FAILING, hook(`{ file = "${MISSING}" }`), /cannot be read \(ENOENT\)/],
    ['a wrong rule', 2, FAILING.replace('every 1s', 'every'), hook('"http://127.0.0.1:9/s3cret"'), /failing\.sql/],
    ['a rule of the history', 2, NOBODY.replaceAll('edge_logs', 'alert_events'), '', /a rule cannot read alert_events/],
    ['another kind', 2, FAILING, '[ops]\nkind = "s3cret"\nurl = "http://127.0.0.1:9/s3cret"\n', /needs a kind/],
  ])('ends: %s', async (_, code, rule, receivers, message) => {
    const { args } = alertFiles({ failing: rule }, receivers)
    const ended = await run([...SERVE, ...args])
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(message)])
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(ended.stderr.replace(MISSING, '')).not.toContain('s3cret')
  })

  it('ends without rules, and without a directory', async () => {
    const { args, file } = alertFiles({}, '')
    expect(await run([...SERVE, '--receivers', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--receivers needs rules'),
    })
    expect(await run([...SERVE, ...args.with(1, join(temporaryFolder(), 'none'))])).toMatchObject({ code: 1 })
  })
})

describe('the rules of a service', () => {
  it('are reloaded; a broken file changes nothing, and what a deleted rule counted goes', async () => {
    const { args, write, folder } = alertFiles({ one: NOBODY, two: NOBODY }, '')
    const service = await serve([...args, '--in-memory'])
    const names = async () => (await alerting(service, 'rules')).map(({ name, every }) => `${name} ${every}`)
    expect(await names()).toEqual(['one 1', 'two 1'])
    write('one', NOBODY.replace('every 1s', 'every 20'))
    await service.waitForStderr(/one\.sql cannot be used; its previous version stays/)
    expect(await names()).toEqual(['one 1', 'two 1'])
    write('one', NOBODY.replace('every 1s', 'every 20s'))
    await until(names, ([first]) => first === 'one 20')
    const counted = 'logweir_alert_evaluations_total{rule="two",result="ok"}'
    await until(
      () => service.metric(counted),
      (count) => count > 0,
    )
    rmSync(join(folder, 'two.sql'))
    await until(names, ({ length }) => length === 1)
    expect(await service.metric(counted)).toBeNaN()
    expect(await (await service.get('/metrics')).text()).not.toContain('rule="two"')
  })

  it('are none without alerts', async () => {
    const service = await serve()
    for (const list of ['alerts', 'rules'] as const) expect(await alerting(service, list)).toEqual([])
  })

  it('show a bound token the own alerts, and no query, receiver or reason', async () => {
    const { args } = alertFiles({ failing: FAILING }, hook('"http://127.0.0.1:9/s3cret"'))
    const tokens = join(temporaryFolder(), 'tokens.json')
    const created = await run(['token', 'create', '--name', 'mine', '--project', 'mine', '--tokens-file', tokens])
    const token = created.stdout.toString().trim()
    const service = await serve([...args, '--in-memory', '--tokens-file', tokens])
    await sendFailure(service, 'mine', '/mine')
    await sendFailure(service, 'other', '/other')
    await until(
      () => alerting(service, 'alerts'),
      ({ length }) => length === 2,
    )
    expect(await alerting(service, 'alerts', token)).toMatchObject([{ labels: { project: 'mine', path: '/mine' } }])
    const [rule] = await alerting(service, 'rules', token)
    expect(rule).toMatchObject({ name: 'failing', firing: 1, pending: 0 })
    for (const name of ['query', 'notify', 'reason']) expect(Object.keys(rule)).not.toContain(name)
    expect(JSON.stringify(rule)).not.toMatch(/ops|other|select/)
    expect(await alerting(service, 'rules')).toMatchObject([{ firing: 2, notify: 'ops', query: FAILING }])
    for (const path of ['/api/alerting/alerts', '/api/alerting/rules']) {
      const head = await service.get(path, { method: 'HEAD' })
      expect([head.status, head.headers.get('cache-control'), await head.text()]).toEqual([200, 'no-store', ''])
      expect((await service.get(path, { method: 'POST' })).status).toBe(405)
      expect((await service.get(path, { headers: { 'X-API-KEY': 'wrong' } })).status).toBe(401)
    }
  })
})
