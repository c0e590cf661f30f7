import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { describeWhere } from '../../clickhouse/needs.js'
import { documentAt, ROOT } from '../../docs/documents.js'
import { commandsOf } from '../../docs/shell.js'
import { findOtlpClient, OTLP_CLIENT, WHY_NO_OTLP_CLIENT } from '../../support/otlp-client.js'
import { type Served, serve, start, TOKEN, until } from '../support/program.js'
import { findClient, WHY_NO_CLIENTS } from '../support/published.js'
import { shipLikeVector } from '../support/vector.js'

/** The project of the records in the README. */
const PROJECT = 'abcdefghijklmnopqrst'
const ORIGIN = 'http://127.0.0.1:4000'

/** Returns the first block of a language in the README that contains a word. */
const blockWith = (language: string, word: string): string =>
  documentAt('README.md')!.blocks.find((block) => block.language === language && block.text.includes(word))!.text

const open = () => serve([], { stdin: 'ignore' })

/** Waits for rows of the project and returns the rows. */
const arrived = (service: Served) =>
  until(
    () => service.rows(`logs.all?project=${PROJECT}`),
    (rows) => rows.length > 0,
  )

it('the pipe that the README shows brings records to standard input', async () => {
  const [generate, answer] = commandsOf(blockWith('sh', 'generate')).map(({ words }) => words)
  expect([generate![0], answer!.slice(0, 2)]).toEqual(['dist/cli.js', ['dist/cli.js', 'serve']])
  const made = start(generate!.slice(1).map((arg) => (arg === '100000' ? '300' : arg)))
  const service = await serve(answer!.slice(2))
  made.child.stdout!.pipe(service.child.stdin!)
  await service.waitForStderr(/standard input ended: 300 rows/)
})

it('the records that the README sends are in the answers of its three queries', async () => {
  const service = await open()
  const paths = (block: string) =>
    commandsOf(blockWith('sh', block)).map(({ words }) =>
      words.find((word) => word.startsWith(ORIGIN))!.slice(ORIGIN.length),
    )
  const { words } = commandsOf(blockWith('sh', '/api/logs?'))[0]!
  const body = words[words.indexOf('-d') + 1]!
  const headers = { 'Content-Type': 'application/json' }
  expect(await (await service.get(paths('/api/logs?')[0]!, { method: 'POST', body, headers })).json()).toEqual({
    message: 'Logged!',
  })
  const answers = await Promise.all(paths('/api/endpoints/query/').map((path) => service.get(path)))
  const results = await Promise.all(
    answers.map(async (answer) => ((await answer.json()) as { result: object[] }).result),
  )
  expect(results).toEqual([
    [expect.objectContaining({ event_message: 'GET | 200 | /rest/v1/todos' })],
    [expect.objectContaining({ count: 1, max_execution_time: 12.5, error_count: 0 })],
    [expect.objectContaining({ total_rest_requests: 1, total_storage_requests: 0 })],
  ])
})

it('a sink of Vector as the README shows it brings records', async () => {
  const { uri, compression, auth, encoding, batch } = parse(blockWith('yaml', 'sinks:')).sinks.logweir
  expect([auth, encoding]).toEqual([{ strategy: 'bearer', token: 'YOUR-TOKEN' }, { codec: 'json' }])
  expect(batch.max_bytes).toBeLessThan(12e6)
  const service = await open()
  const events = [{ message: 'hello', timestamp: new Date().toISOString(), source_type: 'file' }]
  const options = { uri: uri.replace(ORIGIN, service.url), framing: 'json array', compression } as const
  expect(await shipLikeVector([events], options)).toEqual({ statuses: { 200: 1 }, dropped: 0 })
  expect((await arrived(service)).map(({ event_message }) => event_message)).toEqual(['hello'])
})

/** Runs a JavaScript file to the end with the given variables. */
async function runScript(args: readonly string[], environment: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: { PATH: process.env.PATH, ...environment } })
  expect((await once(child, 'close'))[0]).toBe(0)
}

describeWhere(findClient('pino-logflare'), 'pino-logflare', WHY_NO_CLIENTS, 'pino', () => {
  it('as the README shows it brings what is logged', async () => {
    const service = await open()
    const script = join(ROOT, 'test/clients', `readme-${process.pid}.mjs`)
    writeFileSync(script, blockWith('js', 'pino').replace(ORIGIN, service.url))
    onTestFinished(() => rmSync(script))
    await runScript([script], { LOGWEIR_TOKEN: TOKEN })
    const found = await arrived(service)
    expect(found).toEqual([
      expect.objectContaining({
        event_message: 'hello',
        metadata: expect.objectContaining({ request: { path: '/rest/v1/todos' } }),
      }),
    ])
  })
})

describeWhere(findOtlpClient(), 'the OpenTelemetry exporters', WHY_NO_OTLP_CLIENT, 'OpenTelemetry', () => {
  it('with the variables that the README shows brings records', async () => {
    const service = await open()
    const shown = commandsOf(blockWith('sh', 'OTEL_')).map(({ words }) => words[1]!.split(/=(.*)/s) as [string, string])
    const environment = new Map(shown)
    const attributes = environment.get('OTEL_RESOURCE_ATTRIBUTES')!.split(',')
    await runScript([join(OTLP_CLIENT, 'send.mjs'), 'proto', '0', '1'], {
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: environment
        .get('OTEL_EXPORTER_OTLP_LOGS_ENDPOINT')!
        .replace(ORIGIN, service.url),
      OTEL_EXPORTER_OTLP_LOGS_HEADERS: environment.get('OTEL_EXPORTER_OTLP_LOGS_HEADERS')!.replace('YOUR-TOKEN', TOKEN),
      RESOURCE: JSON.stringify(Object.fromEntries(attributes.map((attribute) => attribute.split('=')))),
      START_US: `${Date.now() * 1000}`,
    })
    expect((await arrived(service)).map(({ event_message }) => event_message)).toEqual(['row 0'])
  })
})
