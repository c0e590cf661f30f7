import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BASE, ENV, OLDER_STACK, OURS, OURS_OLDER, STACK, THEIRS } from '../../deploy/supabase-stack.js'
import { freePort } from '../../support/free-port.js'
import { mulberry32 } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import { SINK_NAMES, vectorEvents } from '../../support/supabase/vector-events.js'
import { analyticsOf } from '../support/analytics.js'
import { type Image, imageAt } from '../support/image.js'
import { ROOT, temporaryFolder, until, withoutRuntime } from '../support/program.js'
import { shipToSinks } from '../support/vector-sinks.js'

const { LOGFLARE_PUBLIC_ACCESS_TOKEN: PUBLIC, LOGFLARE_PRIVATE_ACCESS_TOKEN: PRIVATE } = ENV

/** The health checks of Supabase's files: today's, and that of older stacks. */
const THEIR_CHECKS = [
  ['CMD-SHELL', 'curl -sSfL -o /dev/null http://localhost:4000/health'],
  ['CMD', 'curl', 'http://localhost:4000/health'],
]

/** Starts the container. Returns the URL once the health check passes. */
async function started(image: Image, environment: Record<string, string>, check: readonly string[]) {
  expect(image.passes(check, environment)).toBe(false)
  const child = image.run(environment)
  const log = child.stderr!.setEncoding('utf8').toArray()
  await until(async () => image.passes(check, environment), Boolean)
  return { child, log, url: `http://127.0.0.1:${environment.LOGWEIR_PORT}` }
}

/** Expects that every batch of all seven sinks of Vector is stored, and that Studio's query finds the rows. */
async function expectAnalytics(url: string): Promise<void> {
  const events = vectorEvents(mulberry32(testSeed()), { count: 200, fromMs: Date.now() - 60_000, stepMs: 100 })
  expect(new Set(events.map(({ sink }) => sink))).toEqual(new Set(SINK_NAMES))
  const { statuses, dropped } = await shipToSinks(url, events, { token: PUBLIC })
  // A check without -f passes while the service starts and answers 503, after which Vector tries again.
  const { 503: _starting, ...others } = statuses
  expect([Object.keys(others), dropped]).toEqual([['200'], 0])
  const parameters = new URLSearchParams({ project: 'default', sql: 'select count(*) as count from auth_logs' })
  const query = `${url}/api/endpoints/query/logs.all?${parameters}`
  const expected = events.filter(({ sink }) => sink === 'gotrue.logs.prod').length
  const counted = async () => (await (await fetch(query, { headers: { 'x-api-key': PRIVATE } })).json()) as object
  expect(await until(counted, (answer) => JSON.stringify(answer).includes(`:${expected}}`))).toEqual({
    result: [{ count: expected }],
  })
  expect((await fetch(query, { headers: { 'x-api-key': PUBLIC } })).status).toBe(403)
  const ofStudio = `${url}/api/endpoints/query/auth.metrics?project=default`
  expect((await fetch(ofStudio, { headers: { 'x-api-key': PRIVATE } })).status).toBe(200)
}

async function expectStop(child: ChildProcess, log: Promise<string[]>): Promise<void> {
  child.kill('SIGTERM')
  expect((await once(child, 'exit'))[0]).toBe(0)
  const text = (await log).join('')
  const codes = withoutRuntime(text)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).code)
  expect(codes).toEqual(['listening', 'stopping'])
  expect([PUBLIC, PRIVATE].filter((token) => text.includes(token))).toEqual([])
}

describe('the image as the service analytics', () => {
  it.each([
    ['a new stack', STACK, [BASE, OURS]],
    ['an older stack', OLDER_STACK, [BASE, OURS_OLDER]],
  ])('works with the settings and the health check of deploy/supabase in %s', async (_, stack, names) => {
    const { environment, healthcheck } = analyticsOf(stack, names)
    const data = temporaryFolder()
    const image = imageAt({ app: ROOT, data, port: await freePort() })
    const { child, log, url } = await started(image, image.environment(environment), healthcheck.test)
    await expectAnalytics(url)
    await expectStop(child, log)
    expect(readdirSync(data)).toContain('segments')
  })

  it.each(THEIR_CHECKS)('works with the settings and the health check of theirs, %s %s', async (...check) => {
    const { environment } = analyticsOf(STACK, [BASE, THEIRS])
    expect(environment).not.toHaveProperty('LOGWEIR_SUPABASE')
    const args = { LOGWEIR_SUPABASE: 'true' }
    const image = imageAt({ app: ROOT, data: temporaryFolder(), port: await freePort(), args })
    const { child, log, url } = await started(image, image.environment(environment), check)
    await expectAnalytics(url)
    await expectStop(child, log)
  })
})
