import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { run, serve, TOKEN, temporaryFolder } from '../support/program.js'
import { FAILING, sendFailure } from './serve-alerts.js'

function ruleFile(text: string): string {
  const file = join(temporaryFolder(), 'failing.sql')
  writeFileSync(file, text)
  return file
}

const test = (url: string, file: string, ...more: string[]) =>
  run(['alerts', 'test', file, '--url', url, ...more], { environment: { LOGWEIR_TOKEN: TOKEN } })

it('prints when a rule would have fired', { timeout: 60_000 }, async () => {
  const service = await serve(['--sql'])
  await sendFailure(service, 'a', '/cart')
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  const { code, stdout, stderr } = await test(service.url, ruleFile(FAILING), '--last', '1m')
  expect(code).toBe(0)
  const lines = stdout.toString().trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { state: 'firing', labels: { project: 'a', path: '/cart' }, values: { errors: 1 }, text: '/cart fails: 1' },
  ])
  expect(stderr).toMatch(/60 evaluations, from \S+ to \S+, by groups of pieces of time; by timestamps of the rows that/)
  const wrong = await test(service.url, ruleFile(FAILING.replace('edge_logs', 'egde_logs')))
  expect([wrong.code, wrong.stdout.toString()]).toEqual([1, ''])
  expect(wrong.stderr).toMatch(/\(line 5, column 6\) \(invalid_rule\)\nfrom egde_logs\n {5}\^\n$/)
})

it('fails without SQL on the service', async () => {
  const service = await serve()
  const { code, stderr } = await test(service.url, ruleFile(FAILING))
  expect([code, stderr]).toEqual([1, expect.stringContaining('Start it with --sql')])
})
