import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exchange, statusLines } from '../../support/raw-http.js'
import { ROOT, type Served, serve, TOKEN, temporaryFolder } from '../support/program.js'
import { dialer, getText } from '../support/raw.js'

/** Data of another customer. No word of the data can occur by chance. */
const VICTIM = {
  project: 'victimprojectref',
  event_message: 'victim-message',
  id: 'victim-id',
  metadata: { request: { url: 'https://victim-host/rest', path: '/rest' } },
}
const GUESS = 'guessed-token'
const LOGS = '/api/endpoints/query/logs.all'
const COUNTS = '/api/endpoints/query/usage.api-counts'
const withGuess = (text: string) => text.replace(TOKEN, GUESS)
const LAST = 'Connection: close'

/** A request for each refusal, and the status of the refusal. */
const REFUSALS: readonly (readonly [status: number, text: string])[] = [
  [401, withGuess(getText('/metrics', LAST))],
  [401, withGuess(getText(`${LOGS}?project=${VICTIM.project}`, LAST))],
  [401, getText('/metrics', `X-API-KEY: ${TOKEN}`, LAST)],
  [404, getText('/../../etc/passwd', LAST)],
  [404, getText('/api/endpoints/query/constructor?project=a', LAST)],
  [405, getText('/metrics', LAST).replace('GET', 'DELETE')],
  [400, getText(LOGS, LAST)],
  [400, getText(`${LOGS}?project=a&project=b`, LAST)],
  [400, getText(`${LOGS}?project=a&iso_timestamp_start=no`, LAST)],
  [400, getText(`${COUNTS}?project=(`, LAST)],
  [400, getText(`${COUNTS}?project=${'a'.repeat(1_001)}`, LAST)],
  [400, getText('/health', 'X : a')],
  [400, getText('/health', 'Transfer-Encoding: gurgle')],
  [431, getText(`/health?${'x'.repeat(70_000)}`, LAST)],
]

const STACK = /\n\s+at |\.[jt]s:\d+|node:internal|Error:/

/** Expects that a text contains no secret. */
function expectNoLeak(text: string, secrets: readonly string[]): void {
  expect(text).not.toMatch(STACK)
  for (const secret of secrets) expect(text).not.toContain(secret)
}

async function feed({ child, waitForStderr }: Served): Promise<void> {
  child.stdin!.write(`${JSON.stringify({ source: 'edge_logs', ...VICTIM })}\n`)
  child.stdin!.end(`no JSON of ${VICTIM.project}\n`)
  await waitForStderr(/1 rows accepted, 1 rejected/)
}

it('S6: no refusal, metric or log line tells a stack, a path, a token or a row of another project', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const service = await serve(['--data-dir', dataDir])
  await feed(service)
  expect(await service.rows(`logs.all?project=${VICTIM.project}`)).toMatchObject([{ id: VICTIM.id }])
  const secrets = [TOKEN, GUESS, dataDir, ROOT, '/dist/', 'node_modules', 'victim']
  const dial = dialer(service)
  const heard = await Promise.all(REFUSALS.map(([, text]) => exchange(dial, text)))
  expect(heard.map((text) => Number(statusLines(text)[0]?.split(' ')[1]))).toEqual(REFUSALS.map(([status]) => status))
  for (const text of heard) expectNoLeak(text, secrets)
  expect(await service.rows('logs.all?project=other')).toEqual([])
  expectNoLeak(await (await service.get('/metrics')).text(), secrets)
  expectNoLeak(service.stderrText(), secrets)
})
