import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ROOT } from './support/program.js'

const DEMO = join(ROOT, 'scripts/demo.mjs')
/** Settings of another service of the user, with which the service of the demo would not start. */
const SETTINGS = { LOGWEIR_TOKENS_FILE: '/nowhere/tokens', LOGWEIR_MEMORY_LIMIT: 'all', LOGWEIR_LOG_FORMAT: 'json' }

it('the demo shows a URL, a token and a request with rows for each endpoint, and stops', async () => {
  const env = { ...process.env, ...SETTINGS }
  const child = spawn(process.execPath, [DEMO, '--once', '--rows', '20000', '--port', '0'], { env })
  onTestFinished(() => void child.kill())
  const [pieces] = await Promise.all([child.stdout.setEncoding('utf8').toArray(), once(child, 'exit')])
  const text = pieces.join('')
  expect(child.exitCode).toBe(0)
  const url = /^URL {4}(http:\/\/127\.0\.0\.1:\d+)$/m.exec(text)![1]!
  const token = /^Token {2}(\S+)$/m.exec(text)![1]!
  expect(text).toMatch(/^Page {3}http:\/\/127\.0\.0\.1:\d+\/#project=[a-z]{20}&range=7day /m)
  const requests = [
    ...text.matchAll(/^# (\d+) rows.*\ncurl -H 'X-API-KEY: (\S+)' '(http:\S+?)\/api\/endpoints\/query\/(\S+)\?/gm),
  ]
  expect(requests.map(([, , , , name]) => name)).toEqual(['logs.all', 'functions.invocation-stats', 'usage.api-counts'])
  for (const [, rows, shownToken, shownUrl] of requests) {
    expect(Number(rows)).toBeGreaterThan(0)
    expect([shownToken, shownUrl]).toEqual([token, url])
  }
})

it.each([
  ['--rows', 'many', /^logweir: --rows: "many" is not an integer/m],
  ['--port', 'any', /^demo: --port: "any" is not a port/m],
  ['--port', '70000', /^demo: --port: "70000" is not a port/m],
  ['--row', '5', /^demo: Unknown option '--row'/m],
])('the demo ends and says what is wrong with %s %s', async (flag, value, message) => {
  const child = spawn(process.execPath, [DEMO, '--once', '--port', '0', flag, value])
  onTestFinished(() => void child.kill())
  const pieces = [child.stdout, child.stderr].map((stream) => stream.setEncoding('utf8').toArray())
  const [code] = await once(child, 'exit')
  const text = (await Promise.all(pieces)).flat().join('')
  expect(code).toBe(1)
  expect(text).toMatch(message)
  expect(text).not.toContain('    at ')
  expect(text).not.toContain('without a row')
})
