import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { LOGFLARE_DIALECT } from '../../../src/http/reply/dialect.js'
import type { Status } from '../../../src/http/routes.js'
import { listen } from '../../../src/http/server/server.js'
import { createTestApp } from '../support.js'

/** Returns the exit code of the health check in the files of a self-hosted Supabase. */
async function check(url: string): Promise<number> {
  try {
    await promisify(execFile)('curl', ['-sSfL', '-o', '/dev/null', `${url}/health`])
    return 0
  } catch (error) {
    return (error as { code: number }).code
  }
}

/** curl's code for a status of 400 and more under `-f`. */
const HTTP_ERROR = 22
/** curl's code for a refused connection. */
const NO_CONNECTION = 7

test('the health check of a self-hosted Supabase passes once the service answers queries, and not before', async () => {
  const { app, state } = createTestApp({ dialect: LOGFLARE_DIALECT })
  const listening = await listen(app, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => listening.close())
  const codes: [Status, number][] = []
  for (const status of ['starting', 'ok', 'degraded', 'stopping'] as const) {
    state.status = status
    codes.push([status, await check(listening.url)])
  }
  expect(codes).toEqual([
    ['starting', HTTP_ERROR],
    ['ok', 0],
    ['degraded', 0],
    ['stopping', 0],
  ])
  await listening.close()
  expect(await check(listening.url)).toBe(NO_CONNECTION)
})
