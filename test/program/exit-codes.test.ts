import { once } from 'node:events'
import { mkdirSync, openSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { run, serve, start, temporaryFolder } from './support/program.js'

const SERVE = ['serve', '--port', '0']
const NOWHERE = 'http://127.0.0.1:9'
const CLICKHOUSE = ['--clickhouse-url', NOWHERE]

/** Makes paths that are wrong in some way: a file, a directory, and a data directory of a newer version. */
function places() {
  const folder = temporaryFolder()
  const [file, directory, newer, missing] = ['file', 'directory', 'newer', 'missing'].map((name) => join(folder, name))
  writeFileSync(file!, '')
  for (const path of [directory!, newer!]) mkdirSync(path)
  writeFileSync(join(newer!, 'format.json'), '{"format":"logweir","version":5}')
  return { folder, file: file!, directory: directory!, newer: newer!, missing: missing! }
}

type Places = ReturnType<typeof places>

/** Runs a command to the end. Returns the exit code, and the single line of the error. */
async function outcome(args: readonly string[], environment: Record<string, string> = {}) {
  const { code, stderr } = await run(args, { environment: { LOGWEIR_ACCESS_TOKENS: 'a', ...environment } })
  expect(stderr).toMatch(/^logweir: [^\n]+\n$/)
  return { code, stderr }
}

/** Temporary errors, for each command and way to fail. test/commands/exit-codes.isolated.test.ts has the others. */
const PASSING: [what: string, call: (at: Places) => readonly string[], environment?: Record<string, string>][] = [
  ['serve: the file of settings is missing', ({ missing }) => [...SERVE, '--config', missing]],
  ['serve: the address is not there yet', () => [...SERVE, '--host', '192.0.2.1']],
  ['serve: the directory of endpoints is a file', ({ file }) => [...SERVE, '--endpoints', file]],
  ['query: no service', () => ['query', '--url', NOWHERE], { LOGWEIR_TOKEN: 'a' }],
  ['tail: no service', () => ['tail', '--project', 'a', '--url', NOWHERE], { LOGWEIR_TOKEN: 'a' }],
  ['token revoke: there is no such token', ({ directory }) => ['token', 'revoke', 'a', '--data-dir', directory]],
  ['schema: no server', () => ['schema', 'clickhouse', '--apply', ...CLICKHOUSE]],
  ['export: a newer version', ({ newer }) => ['export', '--to', 'clickhouse', ...CLICKHOUSE, '--data-dir', newer]],
  ['sql: a newer version', ({ newer }) => ['sql', newer, 'select 1']],
]

/** Permanent errors: the call, or a file of the user, is wrong. */
const WRONG: [what: string, call: (at: Places) => readonly string[], environment?: Record<string, string>][] = [
  ['no command', () => []],
  ['serve: an unknown flag', () => ['serve', '--nope']],
  ['serve: a token that no header can carry', () => SERVE, { LOGWEIR_ACCESS_TOKENS: 'a b' }],
  ['serve: an endpoint with a mistake', ({ directory }) => [...SERVE, '--endpoints', withModule(directory)]],
  ['sql: no query', () => ['sql', '.']],
]

function withModule(directory: string): string {
  writeFileSync(join(directory, 'a.mjs'), 'export default 1')
  return directory
}

describe('exit code 1, after which a supervisor tries again', () => {
  it.each(PASSING)('%s', async (_, call, environment) => {
    expect(await outcome(call(places()), environment)).toMatchObject({ code: 1 })
  })

  it('serve and export: another process has the port or the data directory', async () => {
    const dataDir = temporaryFolder()
    const holder = await serve(['--data-dir', dataDir])
    const [port, other] = [new URL(holder.url).port, temporaryFolder()]
    expect(await outcome(['serve', '--port', port, '--data-dir', other])).toMatchObject({ code: 1 })
    expect(await outcome([...SERVE, '--data-dir', dataDir])).toMatchObject({ code: 1 })
    const exporting = ['export', '--to', 'clickhouse', ...CLICKHOUSE, '--data-dir', dataDir]
    expect(await outcome(exporting)).toMatchObject({ code: 1 })
  })

  it('health: the service is there, and not ready', async () => {
    const starting = createServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n\r\n'))
    }).listen(0, '127.0.0.1')
    await once(starting, 'listening')
    onTestFinished(() => void starting.close())
    const { port } = starting.address() as { port: number }
    expect(await outcome(['health', '--port', String(port)])).toMatchObject({
      code: 1,
      stderr: `logweir: the service at http://127.0.0.1:${port} is not ready: it answers with status 503.\n`,
    })
  })

  it('all that print: the disk is full', async () => {
    for (const args of [['generate'], ['config'], ['completion', 'bash'], ['--help']]) {
      const program = start(args, { stdout: openSync('/dev/full', 'w') })
      expect({ args, code: await program.exit }).toEqual({ args, code: 1 })
      expect(program.stderrText()).toMatch(/^logweir: .*ENOSPC.*\n$/)
    }
  })
})

describe('exit code 2, after which it stays down', () => {
  it.each(WRONG)('%s', async (_, call, environment) => {
    expect(await outcome(call(places()), environment)).toMatchObject({ code: 2 })
  })
})
