import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { write } from '../support/feed.js'
import { type Program, run, type Served, serve, start, TOKEN, temporaryFolder, until } from '../support/program.js'
import { piped } from '../support/shell.js'
import { hasTerminal, onTerminal } from '../support/terminal.js'

/** Follows requests by path in a running service. */

const SQL = 'select request.path, count(*) as n from edge_logs group by path order by path'
const WATCH = ['watch', '--project', 'a', '--sql', SQL]
const lineOf = (path: string) =>
  `${JSON.stringify({ source: 'edge_logs', project: 'a', metadata: { request: { path } } })}\n`

/** Sends a row for each path, in order. */
const send = (service: Served, ...paths: string[]) => write(service, paths.length, (i) => lineOf(paths[i]!))

/** Starts a service that answers SQL, with a row for each path. */
async function serveRows(paths: readonly string[], args: readonly string[] = []): Promise<Served> {
  const service = await serve(['--sql', ...args])
  await send(service, ...paths)
  await until(
    () => service.metric('logweir_rows{source="edge_logs"}'),
    (rows) => rows === paths.length,
  )
  return service
}

const watch = ({ url }: Served, token = TOKEN) =>
  start([...WATCH, '--url', url], { environment: { LOGWEIR_TOKEN: token } })

/** Reads the events that a command prints, each a line of JSON. */
function eventsOf({ child }: Program) {
  let printed = ''
  child.stdout!.on('data', (piece) => {
    printed += piece
  })
  const events = () =>
    printed
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  /** Waits for an event, and returns it. */
  const eventAt = async (index: number) => {
    const all = await until(
      async () => events(),
      ({ length }) => length > index,
    )
    return all[index]
  }
  return { events, eventAt }
}

const rows = (counts: Record<string, number>) => Object.entries(counts).map(([path, n]) => ({ path, n }))
/** So many rows that a change of one is shorter than all. */
const PATHS = ['/a', '/b', '/c', '/d']

it('prints the snapshot and each change as NDJSON, with type and id before the data', async () => {
  const service = await serveRows(PATHS)
  const { eventAt } = eventsOf(watch(service))
  const snapshot = await eventAt(0)
  expect(Object.keys(snapshot)).toEqual(['event', 'id', 'result', 'key', 'watermark'])
  expect(snapshot).toMatchObject({ event: 'snapshot', result: rows({ '/a': 1, '/b': 1, '/c': 1, '/d': 1 }) })
  await send(service, '/b')
  const change = await eventAt(1)
  expect(Object.keys(change)).toEqual(['event', 'id', 'upsert', 'delete', 'watermark'])
  expect(change).toMatchObject({ event: 'change', upsert: rows({ '/b': 2 }), delete: [] })
  for (const { id, watermark } of [snapshot, change]) expect(id).toBe(watermark)
})

it('goes on with a snapshot after the service was killed and started again', async () => {
  const data = ['--data-dir', temporaryFolder()]
  const first = await serveRows(PATHS, data)
  const program = watch(first)
  const { events, eventAt } = eventsOf(program)
  await eventAt(0)
  first.child.kill('SIGKILL')
  await first.exit
  const second = await serve(['--sql', ...data, '--port', new URL(first.url).port])
  const again = await eventAt(1)
  expect(again).toMatchObject({ event: 'snapshot', result: rows({ '/a': 1, '/b': 1, '/c': 1, '/d': 1 }) })
  expect(again.id.split('.')[0]).not.toBe(events()[0].id.split('.')[0])
  await send(second, '/a')
  expect(await eventAt(2)).toMatchObject({ event: 'change', upsert: rows({ '/a': 2 }) })
  expect(program.stderrText()).toMatch(/^logweir: .* Trying again\.\nlogweir: connected again\.\n$/)
  program.child.kill('SIGINT')
  expect(await program.exit).toBe(0)
})

it('prints why the service ends the stream, and ends with 0 while it waits for the service', async () => {
  const service = await serveRows(PATHS)
  const program = watch(service)
  const { eventAt } = eventsOf(program)
  await eventAt(0)
  service.child.kill('SIGTERM')
  expect(await eventAt(1)).toEqual({ event: 'dropped', error: expect.any(Object) })
  await program.waitForStderr(/Trying again/)
  expect(await service.exit).toBe(0)
  program.child.kill('SIGTERM')
  expect(await program.exit).toBe(0)
})

it('ends with 1 when its token is revoked, and prints no row that came later', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const service = await serveRows(PATHS, ['--data-dir', dataDir])
  const token = (...args: string[]) => run(['token', ...args, '--data-dir', dataDir])
  const made = await token('create', '--name', 'reader', '--scope', 'query')
  const reader = made.stdout.toString().trim()
  await until(
    () => service.get('/api/endpoints', { headers: { 'X-API-KEY': reader } }),
    ({ status }) => status === 200,
  )
  const program = watch(service, reader)
  const { events, eventAt } = eventsOf(program)
  await eventAt(0)
  await token('revoke', 'reader')
  const revokedMs = performance.now()
  expect(await eventAt(1)).toMatchObject({ event: 'dropped', error: { code: 'unauthorized' } })
  // Two seconds, and the load of other tests.
  expect(performance.now() - revokedMs).toBeLessThan(6_000)
  await send(service, '/late')
  expect(await program.exit).toBe(1)
  expect(program.stderrText()).toMatch(/\(unauthorized\).*\n(.*\n)*logweir: .*does not know the token/)
  expect(events()).toHaveLength(2)
})

describe('exit codes are those of query', () => {
  it.each([
    ['a token that the service does not know', ['--sql', SQL], 'wrong', 1, /does not know the token of LOGWEIR_TOKEN/],
    ['wrong SQL', ['--sql', 'select nope(1) from edge_logs'], TOKEN, 1, /nope.*\(invalid_sql\)/],
    ['an unknown flag', ['--sql', SQL, '--nope', '1'], TOKEN, 2, /unknown flag --nope/],
    ['an unknown endpoint', ['logs.al'], TOKEN, 2, /unknown endpoint "logs.al"/],
    ['an unknown format', ['--sql', SQL, '--format', 'xml'], TOKEN, 2, /--format: "xml" is not one of table,/],
  ])('%s', async (_, args, token, code, message) => {
    const { url } = await serve(['--sql'])
    const results = await Promise.all(
      ['watch', 'query'].map((name) =>
        run([name, '--project', 'a', '--url', url, ...args], { environment: { LOGWEIR_TOKEN: token } }),
      ),
    )
    for (const { stdout, ...result } of results) {
      expect(stdout.toString()).toBe('')
      expect(result).toEqual({ code, stderr: expect.stringMatching(message) })
    }
  })
})

it('ends with 0 when the reader of its pipe leaves, although nothing changes', async () => {
  const service = await serveRows(PATHS)
  const { stdout, stderr } = await piped(`watch --project a --sql '${SQL}' --url ${service.url}`, 'head -n 1', {
    LOGWEIR_TOKEN: TOKEN,
  })
  expect(JSON.parse(stdout)).toMatchObject({ event: 'snapshot', key: ['path'] })
  expect(stderr).toBe('exit 0\n')
  await until(
    () => service.metric('logweir_subscriptions_open'),
    (open) => open === 0,
  )
})

it.runIf(hasTerminal)('paints a table over the last one on a terminal, until Ctrl-C ends it with 0', async () => {
  const service = await serveRows(PATHS)
  const args = `watch --project a --sql '${SQL}' --url ${service.url}`
  const { program, shows, shown } = onTerminal(args, 10, { LOGWEIR_TOKEN: TOKEN, NO_COLOR: '1' })
  const table = (counts: Record<string, number>) =>
    ['path  n', ...Object.entries(counts).map(([path, n]) => `${path}    ${n}`)]
      .map((line) => `\u001b[K${line}\n`)
      .join('')
  await shows(`${table({ '/a': 1, '/b': 1, '/c': 1, '/d': 1 })}\u001b[J`)
  await send(service, '/b')
  await shows(`\u001b[5A${table({ '/a': 1, '/b': 2, '/c': 1, '/d': 1 })}\u001b[J`)
  program.child.stdin!.write('\u0003')
  expect(await program.exit).toBe(0)
  expect(shown()).not.toContain('logweir:')
})
