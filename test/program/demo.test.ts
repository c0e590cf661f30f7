import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ROOT } from './program.js'

it('the demo shows a URL, a token and a request with rows for each endpoint, and stops', async () => {
  const child = spawn(process.execPath, [join(ROOT, 'scripts/demo.mjs'), '--once', '--rows', '20000', '--port', '0'])
  onTestFinished(() => void child.kill())
  const [pieces] = await Promise.all([child.stdout.setEncoding('utf8').toArray(), once(child, 'exit')])
  const text = pieces.join('')
  expect(child.exitCode).toBe(0)
  const url = /^URL {4}(http:\/\/127\.0\.0\.1:\d+)$/m.exec(text)![1]!
  const token = /^Token {2}(\S+)$/m.exec(text)![1]!
  expect(text).toMatch(/^Page {3}http:\/\/127\.0\.0\.1:\d+\/#project=[a-z]{20}&interval=7day /m)
  const requests = [
    ...text.matchAll(/^# (\d+) rows.*\ncurl -H 'X-API-KEY: (\S+)' '(http:\S+?)\/api\/endpoints\/query\/(\S+)\?/gm),
  ]
  expect(requests.map(([, , , , name]) => name)).toEqual(['logs.all', 'functions.invocation-stats', 'usage.api-counts'])
  for (const [, rows, shownToken, shownUrl] of requests) {
    expect(Number(rows)).toBeGreaterThan(0)
    expect([shownToken, shownUrl]).toEqual([token, url])
  }
})
