import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { readAlertsTest, runAlertsTest } from '../../src/client/alerts-test.js'
import type { RowsOut } from '../../src/client/output.js'
import { fakeService, reply } from './fake-service.js'

const RULE = '-- alert: every 30s\nselect x from y'
const TESTED = {
  result: [
    {
      ...{ instant: '2026-11-29T11:58:30.000Z', state: 'firing', text: '/x fails: 1' },
      ...{ labels: { path: '/x', state: 'ok' }, values: { errors: 1, note: '\u001b[2J' } },
    },
  ],
  ...{ steps: 20_160, failed: 2, method: 'buckets', omitted: 1_000, note: 'by timestamps' },
  ...{ from: '2026-11-22T12:00:00.000Z', to: '2026-11-29T12:00:00.000Z' },
}

async function runTest(answer: { body: unknown; status?: number }, out: Partial<RowsOut> = {}) {
  const bodies: string[] = []
  const { url, requests } = await fakeService(async (request, response) => {
    bodies.push(await text(request))
    reply(response, answer.body, 'application/json', answer.status)
  })
  const folder = mkdtempSync(join(tmpdir(), 'logweir-rule-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'rule.sql')
  writeFileSync(file, RULE)
  const config = readAlertsTest([file, '--last', '2d', '--url', url], { LOGWEIR_TOKEN: 'open' }, () => {})
  const logged: string[] = []
  let written = ''
  const write = async (piece: string | Uint8Array) => void (written += piece)
  const done = runAlertsTest(config, { write, terminal: undefined, ...out }, (message) => logged.push(message))
  const error = await done.then(
    () => undefined,
    ({ message }: Error) => message.replace(url, 'URL'),
  )
  return { written, logged, error, bodies, requests }
}

it('sends the rule, and prints a line of JSON for each transition', async () => {
  const { written, logged, bodies, requests } = await runTest({ body: TESTED })
  expect([requests[0]!.method, requests[0]!.url, requests[0]!.headers['x-api-key']]).toEqual([
    'POST',
    '/api/alerting/test',
    'open',
  ])
  expect(Object.fromEntries(new URLSearchParams(bodies[0]))).toEqual({ rule: RULE, last: '2d' })
  expect(written.endsWith('\n')).toBe(true)
  expect(
    written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(TESTED.result)
  expect(logged).toEqual([
    '20,160 evaluations, of which 2 failed, from 2026-11-22T12:00:00.000Z to 2026-11-29T12:00:00.000Z, ' +
      'by groups of pieces of time; by timestamps; 1,000 earlier transitions are left out',
  ])
})

it('prints a table on a terminal', async () => {
  const { written } = await runTest({ body: TESTED }, { terminal: { columns: 200, isPlain: true } })
  expect(written.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['instant', 'state', 'path', 'labels.state', 'errors', 'note', 'text'],
    ['2026-11-29T11:58:30.000Z', 'firing', '/x', 'ok', '1', '\\u001b[2J', '/x fails: 1'],
    [''],
  ])
})

it('shows the place of a fault in the rule', async () => {
  const body = { error: 'There is no source y. (line 2, column 15)', code: 'invalid_rule' }
  const { error, written } = await runTest({ body, status: 400 })
  expect(error).toBe(
    `URL: There is no source y. (line 2, column 15) (invalid_rule)\nselect x from y\n${' '.repeat(14)}^`,
  )
  expect(written).toBe('')
})

it.each([['{}'], ['[]'], ['<html>']])('refuses the answer %s', async (body) => {
  expect((await runTest({ body })).error).toBe('URL answers with no transitions. Is a logweir service there?')
})
