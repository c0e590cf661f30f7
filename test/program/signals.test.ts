import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fakeService } from '../client/fake-service.js'
import { generated } from './support/generated.js'
import { CLI, launch, listening, type Program, serve, start, TOKEN, temporaryFolder, until } from './support/program.js'

const IGNORED = ['SIGUSR1', 'SIGUSR2', 'SIGQUIT'] as const
const IN_FILES = { LOGWEIR_IN_MEMORY: '' }

const lineOf = (id: string) => `${JSON.stringify({ source: 'edge_logs', id, project: 'a' })}\n`

/** Writes endpoints that delay the start until a file exists, and print when the delay begins. */
function slowEndpoints() {
  const [directory, gate] = [temporaryFolder(), join(temporaryFolder(), 'gate')]
  writeFileSync(
    join(directory, 'slow.mjs'),
    `import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { count, endpoint, scan, sql } from 'logweir/endpoint'
process.stderr.write('loading\\n')
while (!existsSync(${JSON.stringify(gate)})) await setTimeout(10)
export default endpoint({
  id: '5b1f6a3e-0c1d-4a52-9a53-3d2c0f7e9a01',
  name: 'slow',
  maxRows: 1,
  cache: { ttlS: 60, warmS: 30 },
  params: {},
  query: sql\`select 1\`,
  plan: () =>
    scan('edge_logs', { fromUs: 0, throughUs: 1 })
      .truncate('timestamp', 'day', 'datetime')
      .group('timestamp')
      .aggregate({ rows: count() })
      .orderBy('timestamp')
      .limit(1),
})`,
  )
  return { directory, open: () => writeFileSync(gate, '') }
}

/** Sends each signal that must be ignored, and waits long enough for a reaction. */
async function bother({ child }: Program): Promise<void> {
  for (const signal of IGNORED) child.kill(signal)
  await new Promise((resolve) => setTimeout(resolve, 150))
}

function expectUnmoved({ child, stderrText }: Program): void {
  expect([child.exitCode, child.signalCode]).toEqual([null, null])
  expect(stderrText()).not.toContain('Debugger')
}

describe('SIGHUP stops the service as SIGTERM does', () => {
  it('with 0, every row that was read kept, and the lock released', async () => {
    const dataDir = temporaryFolder()
    const service = await serve(['--data-dir', dataDir], { environment: IN_FILES })
    service.child.stdin!.write(lineOf('first'))
    await until(
      () => service.metric('logweir_rows{source="edge_logs"}'),
      (rows) => rows === 1,
    )
    service.child.stdin!.write(lineOf('last'))
    service.child.kill('SIGHUP')
    expect(await service.exit).toBe(0)
    expect(service.stderrText()).toContain('SIGHUP: stopping\n')
    const journals = readdirSync(join(dataDir, 'journal')).map((name) => readFileSync(join(dataDir, 'journal', name)))
    expect(Buffer.concat(journals).includes('last')).toBe(true)
    expect(existsSync(join(dataDir, 'lock'))).toBe(false)
  })

  it('after the answer to a request that is under way', async () => {
    const service = await serve([], { stdin: 'ignore' })
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').setEncoding('utf8')
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n')
    await service.get('/health')
    service.child.kill('SIGHUP')
    await service.waitForStderr(/SIGHUP: stopping\n/)
    socket.write(`X-API-KEY: ${TOKEN}\r\n\r\n`)
    expect((await socket.toArray()).join('')).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(await service.exit).toBe(0)
  })

  it('while it recovers its rows, which all stay', async () => {
    const dataDir = temporaryFolder()
    const args = ['--data-dir', dataDir]
    const first = await serve(args, { environment: IN_FILES })
    first.child.stdin!.write(generated('--rows', '60000', '--source', 'edge_logs', '--slim'))
    await until(
      () => first.metric('logweir_rows{source="edge_logs"}'),
      (rows) => rows === 60_000,
    )
    first.child.kill('SIGKILL')
    await first.exit
    const second = await listening(launch(args, { environment: IN_FILES }))
    second.child.kill('SIGHUP')
    expect(await second.exit).toBe(0)
    expect(existsSync(join(dataDir, 'lock'))).toBe(false)
    const third = await serve(args, { environment: IN_FILES })
    expect(await third.metric('logweir_rows{source="edge_logs"}')).toBe(60_000)
  })

  it('while it starts', async () => {
    const dataDir = temporaryFolder()
    const { directory, open } = slowEndpoints()
    const program = launch(['--data-dir', dataDir, '--endpoints', directory], { environment: IN_FILES })
    await program.waitForStderr(/loading\n/)
    program.child.kill('SIGHUP')
    await program.waitForStderr(/SIGHUP: stopping\n/)
    open()
    expect(await program.exit).toBe(0)
    expect(existsSync(join(dataDir, 'lock'))).toBe(false)
  })
})

describe('SIGUSR1, SIGUSR2 and SIGQUIT are ignored', () => {
  it('before all other code of the program is run', () => {
    expect(readFileSync(CLI, 'utf8')).toMatch(/^#!.*\n(\/\/.*\n)*import "\.\/chunks\/ignored-signals-[^"]+";\n/)
  })

  it('and a debugger that one has opened before is closed, unless it was asked for', async () => {
    const opened = "--import data:text/javascript,import{open}from'node:inspector';open(0)"
    for (const [options, isOpen] of [
      [opened, false],
      ['--inspect=127.0.0.1:0', true],
    ] as const) {
      const program = launch([], { environment: { NODE_OPTIONS: options } })
      const [, address] = await program.waitForStderr(/Debugger listening on ws:\/\/([\d.:]+)/)
      await program.waitForStderr(/listening on http/)
      const answers = await fetch(`http://${address}/json`).then(
        ({ ok }) => ok,
        () => false,
      )
      expect([options, answers]).toEqual([options, isOpen])
    }
  })

  it('by a service that starts, and by one that serves and reads', async () => {
    const { directory, open } = slowEndpoints()
    const program = launch(['--endpoints', directory])
    await program.waitForStderr(/loading\n/)
    await bother(program)
    expectUnmoved(program)
    open()
    const service = await listening(program)
    service.child.stdin!.write(lineOf('first'))
    await until(
      () => service.metric('logweir_rows{source="edge_logs"}'),
      (rows) => rows === 1,
    )
    await bother(service)
    expectUnmoved(service)
    service.child.kill('SIGTERM')
    expect(await service.exit).toBe(0)
  })

  it('by tail, which SIGHUP ends with 0', async () => {
    const { url } = await fakeService((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      const row = { id: 'one', timestamp: 1_795_168_800_000_000, event_message: 'one', metadata: {} }
      response.write(`id: 1\ndata: ${JSON.stringify(row)}\n\n`)
    })
    const program = start(['tail', '--project', 'a', '--url', url], { environment: { LOGWEIR_TOKEN: 'open' } })
    await once(program.child.stdout!, 'data')
    await bother(program)
    expectUnmoved(program)
    program.child.kill('SIGHUP')
    expect(await program.exit).toBe(0)
    expect(program.stderrText()).toBe('')
  })

  it('by generate', async () => {
    const program = start(['generate', '--rows', '100000000'])
    await once(program.child.stdout!, 'data')
    program.child.stdout!.pause()
    await bother(program)
    expectUnmoved(program)
  })

  it('by export', async () => {
    const dataDir = temporaryFolder()
    const service = await serve(['--data-dir', dataDir], { environment: IN_FILES })
    service.child.stdin!.end(lineOf('one'))
    await service.waitForStderr(/1 rows accepted/)
    service.child.kill('SIGTERM')
    expect(await service.exit).toBe(0)
    const { url, requests } = await fakeService(() => {})
    const program = start(['export', '--to', 'clickhouse', '--clickhouse-url', url, '--data-dir', dataDir])
    await until(
      async () => requests.length,
      (asked) => asked > 0,
    )
    await bother(program)
    expectUnmoved(program)
  })
})
