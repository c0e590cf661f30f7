import { expect, it } from 'vitest'
import { readUsage, runUsage } from '../../src/client/usage/run-usage.js'
import { fakeService, refusal, reply } from './fake-service.js'

const NDJSON = 'application/x-ndjson'
const LINES =
  '{"project":null,"source":"edge_logs","day":"2026-11-20","rows":1,"bytes":90071992547409930}\n' +
  '{"project":"a","source":"auth_logs","day":"2026-11-21","rows":20,"bytes":3}\n'

/** Runs the command on a service that gives an answer. Returns the output, and the URL that was asked. */
async function run(args: readonly string[], body: string, type = NDJSON) {
  const { url, requests } = await fakeService((_, response) => reply(response, body, type))
  let output = ''
  const config = readUsage([...args, '--url', url], { LOGWEIR_TOKEN: 'a' })
  await runUsage(config, {
    terminal: undefined,
    write: async (text) => void (output += typeof text === 'string' ? text : Buffer.from(text).toString()),
  })
  return { output, asked: requests[0]!.url }
}

it('prints a table, with all digits', async () => {
  const { output, asked } = await run([], LINES)
  expect(output.split('\n').map((line) => line.trim().split(/\s{2,}/))).toEqual([
    ['project', 'source', 'day', 'rows', 'bytes'],
    ['edge_logs', '2026-11-20', '1', '90071992547409930'],
    ['a', 'auth_logs', '2026-11-21', '20', '3'],
    [''],
  ])
  expect(asked).toBe('/api/usage')
})

it('prints rows as they are sent with --json, and sends the parameters', async () => {
  const flags = ['--project', 'a b', '--source', 'edge_logs', '--start', '2026-11-20T00:00:00+01:00', '--end', '2027']
  const { output, asked } = await run([...flags, '--json'], LINES)
  expect(output).toBe(LINES)
  expect(asked).toBe('/api/usage?project=a+b&source=edge_logs&start=2026-11-20T00%3A00%3A00%2B01%3A00&end=2027')
})

it('prints nothing but the columns if nothing is stored, or no line as JSON', async () => {
  expect((await run(['--json'], '')).output).toBe('')
  expect((await run([], '')).output).toBeTypeOf('string')
})

it('says that another service answers', async () => {
  await expect(run([], '<html>')).rejects.toThrow(/answers with no rows of usage. Is a logweir service there\?$/)
})

it('passes on why a service refuses', async () => {
  const { url } = await fakeService(refusal(403, 'forbidden_project'))
  const config = readUsage(['--project', 'b', '--url', url], { LOGWEIR_TOKEN: 'a' })
  const out = { terminal: undefined, write: async () => {} }
  await expect(runUsage(config, out)).rejects.toThrow(/Not now. \(forbidden_project\)/)
})
