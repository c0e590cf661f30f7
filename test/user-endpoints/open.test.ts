import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Endpoint, endpoint } from '../../src/endpoints/endpoint.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { text } from '../../src/endpoints/params.js'
import { nothing, scan } from '../../src/plan/builder.js'
import { openUserEndpoints } from '../../src/user-endpoints/open.js'
import { createFakeClock } from '../support/clock.js'

const idOf = (n: number) => `5b1f6a3e-0c1d-4a52-9a53-${String(n).padStart(12, '0')}`

function made(n: number, given: object = {}): Endpoint {
  const plain = {
    maxRows: 10,
    cache: 'disabled' as const,
    params: { project: text('') },
    query: 'select 1',
    plan: nothing,
  }
  return endpoint({ id: idOf(n), name: `own.${n}`, ...plain, ...given })
}

/**
 * Creates a folder of modules. The files are real. The exports are the exports of the last `write` of the test, or an
 * error, which loading then throws.
 */
function folder() {
  const directory = mkdtempSync(join(tmpdir(), 'logweir-user-endpoints-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const exported = new Map<string, unknown>()
  const logged: string[] = []
  const loads: string[] = []
  let changes = 0

  function write(name: string, exports: unknown): void {
    exported.set(name, exports)
    changes += 1
    writeFileSync(join(directory, name), ' '.repeat(changes))
  }

  /** Writes a file that is read, not imported. */
  const writeText = (name: string, text: string | Uint8Array) => writeFileSync(join(directory, name), text)

  async function importModule(path: string, version: number) {
    loads.push(`${basename(path)} ${version}`)
    const exports = exported.get(basename(path))
    if (exports instanceof Error) throw exports
    return exports as Record<string, unknown>
  }

  const parts = {
    reserved: ENDPOINTS,
    importModule,
    tryPlan: async () => {},
    nowUs: () => 0,
    log: (line: string) => void logged.push(line.replaceAll(directory, 'DIR')),
  }
  return { directory, write, writeText, logged, loads, parts, open: () => openUserEndpoints(directory, parts) }
}

const namesOf = (endpoints: readonly Endpoint[]) => endpoints.map(({ name }) => name)

/**
 * Opens and watches a folder. `poll` runs the next poll to the end. `changes` has the names after each reported change.
 */
async function watched(files: Record<string, unknown>, texts: Record<string, string> = {}) {
  const given = folder()
  for (const [name, exports] of Object.entries(files)) given.write(name, exports)
  for (const [name, text] of Object.entries(texts)) given.writeText(name, text)
  const userEndpoints = await given.open()
  given.logged.length = 0
  const clock = createFakeClock()
  const changes: string[][] = []
  const stop = userEndpoints.watch(clock, (endpoints) => changes.push(namesOf(endpoints)))
  async function poll(): Promise<void> {
    clock.advance(1_000)
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
  }
  return { ...given, userEndpoints, clock, changes, poll, stop }
}

describe('own endpoints', () => {
  it('are those that the modules of a directory export, by any name', async () => {
    const { write, open, logged, loads } = folder()
    const twice = made(1)
    write('b.mjs', { one: twice, default: twice, two: made(2), other: 7 })
    write('a.js', { default: made(3) })
    for (const passed of ['_help.js', '.hidden.js', 'c.ts', 'd.json', 'e.cjs']) write(passed, { default: made(9) })
    expect(namesOf((await open()).endpoints())).toEqual(['own.3', 'own.1', 'own.2'])
    expect(loads).toEqual(['a.js 1', 'b.mjs 2'])
    expect(logged).toEqual(['user endpoints of DIR: own.3, own.1, own.2'])
  })

  it('may be none, for now', async () => {
    expect((await folder().open()).endpoints()).toEqual([])
  })

  it('are looked after where others may write to them', async () => {
    const { write, open, logged, directory } = folder()
    write('a.js', { default: made(1) })
    chmodSync(join(directory, 'a.js'), 0o666)
    await open()
    expect(logged[1]).toBe('other users may write to DIR/a.js, and the service runs its code: chmod go-w DIR/a.js')
  })

  it.each<[string, unknown, string]>([
    ['throws', new Error('boo\nhoo'), 'Error: boo hoo'],
    [
      'exports nothing',
      {},
      "exports no endpoint. Write: export default endpoint({ … }), or begin the file's name with _",
    ],
    [
      'exports what is wrong',
      { default: made(1, { maxRows: 0 }) },
      'maxRows of own.1 is 0, not an integer from 1 to 10000.',
    ],
    [
      'has a name of the house',
      { default: made(1, { name: 'logs.all' }) },
      'another endpoint is already named logs.all.',
    ],
    [
      'has the id of another',
      { default: made(5, { id: idOf(0).toUpperCase() }) },
      'own.5 has the id of own.0. Give it another id, for example from uuidgen.',
    ],
    ['has a name twice', { a: made(1), b: made(2, { name: 'own.1' }) }, 'another endpoint is already named own.1.'],
    [
      'has a plan that throws',
      { a: made(1, { plan: null }) },
      'Error: endpoint own.1: TypeError: spec.plan is not a function',
    ],
    [
      'has a plan without an end',
      { a: made(1, { plan: () => scan('edge_logs', { fromUs: 0, throughUs: 1 }) }) },
      'Error: endpoint own.1: TypeError: plan() did not return a plan. ' +
        'Build it with scan(…) and end it with .limit(rows).',
    ],
  ])('stop the start with one line where a module %s', async (_, exports, problem) => {
    const { directory, write, open } = folder()
    write('a.js', { default: made(0) })
    write('b.js', exports)
    await expect(open()).rejects.toMatchObject({ code: 'usage', message: `${join(directory, 'b.js')}: ${problem}` })
  })

  it('stop the start where an engine cannot run a plan', async () => {
    const { directory, write, parts } = folder()
    write('a.js', { default: made(0) })
    const tryPlan = async () => {
      throw new TypeError('No filter.')
    }
    const opening = openUserEndpoints(directory, { ...parts, tryPlan })
    await expect(opening).rejects.toMatchObject({
      code: 'usage',
      message: `${join(directory, 'a.js')}: TypeError: No filter.`,
    })
  })

  it('stop the start where there is no directory, or too much in it', async () => {
    const { directory, parts, write, open } = folder()
    const none = openUserEndpoints(join(directory, 'none'), parts)
    await expect(none).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('cannot be read: ENOENT'),
    })
    for (let i = 0; i < 201; i++) write(`_${i}.js`, {})
    await expect(open()).rejects.toThrow(`--endpoints ${directory} has over 200 files of endpoints.`)
  })
})

describe('own endpoints that change', () => {
  it('are taken up, and only they are loaded', async () => {
    const { write, poll, loads, changes, logged, userEndpoints } = await watched({
      'a.js': { default: made(1) },
      'b.js': { default: made(2) },
    })
    await poll()
    expect([loads.length, changes]).toEqual([2, []])
    write('a.js', { default: made(3) })
    write('c.js', { default: made(4) })
    await poll()
    expect(loads.slice(2)).toEqual(['a.js 3', 'c.js 4'])
    expect(changes).toEqual([['own.3', 'own.2', 'own.4']])
    expect(namesOf(userEndpoints.endpoints())).toEqual(changes[0])
    expect(logged).toEqual([
      'user endpoints: a.js changed; loaded: own.3',
      'user endpoints: c.js changed; loaded: own.4',
    ])
  })

  it('go with their file', async () => {
    const { directory, poll, changes, logged } = await watched({
      'a.js': { default: made(1) },
      'b.js': { default: made(2) },
    })
    rmSync(join(directory, 'a.js'))
    await poll()
    expect([changes, logged]).toEqual([[['own.2']], ['user endpoints: a.js was deleted; removed: own.1']])
  })

  it('may move to another file', async () => {
    const { directory, write, poll, changes } = await watched({ 'a.js': { default: made(1) } })
    write('_b.js', { default: made(1) })
    rmSync(join(directory, 'a.js'))
    renameSync(join(directory, '_b.js'), join(directory, 'b.js'))
    write('b.js', { default: made(1) })
    await poll()
    expect(changes).toEqual([['own.1']])
  })

  it('stay as they were where the change cannot be used, and it is said once', async () => {
    const { write, poll, changes, logged, userEndpoints } = await watched({ 'a.js': { default: made(1) } })
    write('a.js', new Error('boo'))
    write('b.js', {})
    await poll()
    await poll()
    expect([changes, namesOf(userEndpoints.endpoints())]).toEqual([[], ['own.1']])
    expect(logged).toEqual([
      expect.stringMatching(
        /^user endpoints: a\.js cannot be used; its previous version stays: own\.1\. DIR\/a\.js: Error: boo$/,
      ),
      expect.stringMatching(
        /^user endpoints: b\.js cannot be used; it has no previous version\. DIR\/b\.js: exports no/,
      ),
    ])
    write('a.js', { default: made(3) })
    write('b.js', { default: made(4) })
    await poll()
    expect(changes).toEqual([['own.3', 'own.4']])
  })

  it('are all loaded again where a helper changes', async () => {
    const { write, poll, loads } = await watched({
      'a.js': { default: made(1) },
      'b.js': { default: made(2) },
      '_h.js': {},
    })
    write('_h.js', {})
    await poll()
    expect(loads.slice(2)).toEqual(['a.js 3', 'b.js 4'])
  })

  it('are tried again where another change may have mended them', async () => {
    const { write, poll, changes, directory } = await watched({ 'a.js': { default: made(1) } })
    write('b.js', { default: made(1) })
    await poll()
    expect(changes).toEqual([])
    rmSync(join(directory, 'a.js'))
    await poll()
    expect(changes).toEqual([['own.1']])
  })

  it('stay as they were where the directory goes, and it is said once', async () => {
    const { directory, poll, changes, logged, userEndpoints } = await watched({ 'a.js': { default: made(1) } })
    rmSync(directory, { recursive: true })
    await poll()
    await poll()
    expect([changes, namesOf(userEndpoints.endpoints())]).toEqual([[], ['own.1']])
    expect(logged).toEqual([
      expect.stringContaining('user endpoints were not reloaded. --endpoints DIR cannot be read: ENOENT'),
    ])
  })

  it('are looked for no more in the end', async () => {
    const { clock, stop } = await watched({})
    expect(clock.timers).toBe(1)
    stop()
    expect(clock.timers).toBe(0)
  })
})

const SELECT = 'select id from edge_logs'

describe('own endpoints in .sql files', () => {
  it('are those of the directory, next to modules', async () => {
    const { write, writeText, open, loads, logged } = folder()
    write('b.mjs', { default: made(1) })
    writeText('a.sql', `\ufeff-- name: own.sql\n${SELECT}`)
    writeText('own.other.sql', SELECT)
    for (const passed of ['_c.sql', '.d.sql']) writeText(passed, 'no SQL')
    expect(namesOf((await open()).endpoints())).toEqual(['own.sql', 'own.1', 'own.other'])
    expect(loads.length).toBe(1)
    expect(logged).toEqual(['user endpoints of DIR: own.sql, own.1, own.other'])
  })

  it('are limited to their maximum of rows', async () => {
    const { writeText, open } = folder()
    writeText('a.sql', `-- max rows: 7\n${SELECT}`)
    writeText('b.sql', `-- max rows: 7\n${SELECT} limit 5`)
    writeText('c.sql', `-- max rows: 7\n${SELECT} limit 9 offset 2`)
    const plans = (await open()).endpoints().map((one) => one.call(new URLSearchParams()).plan(0))
    expect(plans.map((plan) => plan.at(-1))).toEqual([
      { op: 'limit', rows: 7, offset: 0 },
      { op: 'limit', rows: 5, offset: 0 },
      { op: 'limit', rows: 7, offset: 2 },
    ])
  })

  it.each<[string, string | Uint8Array, string]>([
    [
      'wrong SQL',
      `-- hello\n${SELECT}\nwhere`,
      'Expected an expression, found the end of the text. (line 3, column 6)',
    ],
    ['an unknown source', 'select 1 from edge_log', expect.stringMatching(/edge_log.* \(line 1, column 15\)$/)],
    ['a bad pattern', "select regexp_contains(id, '(') from edge_logs", expect.stringContaining('(line 1, column ')],
    ['wrong front matter', '-- max row: 5\nselect 1', 'there is no "max row:". Did you mean "max rows:"? (line 1)'],
    ['a wrong id', '-- id: 7\nselect 1', 'the id "7" of a is not a UUID.'],
    ['a wrong name', '-- name: a b\nselect 1', expect.stringContaining('the name "a b" is invalid')],
    ['the name of a flag', '-- param url: text\nselect @url', expect.stringContaining('has the name of a flag')],
    ['a name of the house', '-- name: logs.all\nselect 1', 'another endpoint is already named logs.all.'],
    ['no text', '', expect.stringContaining('The text is empty')],
    ['too long a text', `select 1${' '.repeat(65_529)}`, 'is over 64 KiB'],
    ['a text that is not UTF-8', Buffer.from([0x73, 0xff]), 'is not UTF-8 text'],
  ])('stop the start with one line where a file has %s', async (_, text, problem) => {
    const { directory, writeText, open } = folder()
    writeText('a.sql', text)
    const error = await open().catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining(join(directory, 'a.sql: ')) })
    expect(error.message.replace(join(directory, 'a.sql: '), '')).toEqual(problem)
  })

  it('stop the start where a file is a directory', async () => {
    const { directory, open } = folder()
    mkdirSync(join(directory, 'a.sql'))
    await expect(open()).rejects.toThrow(`${join(directory, 'a.sql')}: is not a regular file`)
  })

  it('are loaded again where they change, and not where a helper does', async () => {
    const texts = { 'a.sql': `-- name: own.7\n${SELECT}`, 'b.sql': SELECT }
    const { write, writeText, poll, changes, logged } = await watched(
      { 'c.js': { default: made(1) }, '_h.js': {} },
      texts,
    )
    writeText('a.sql', `-- name: own.8\n${SELECT} `)
    await poll()
    await vi.waitFor(() => expect(changes.length).toBe(1))
    write('_h.js', {})
    await poll()
    expect(changes).toEqual([
      ['own.8', 'b', 'own.1'],
      ['own.8', 'b', 'own.1'],
    ])
    expect(logged).toEqual([
      'user endpoints: a.sql changed; loaded: own.8',
      'user endpoints: c.js changed; loaded: own.1',
    ])
  })

  it('stay as they were where the change cannot be used', async () => {
    const { writeText, poll, changes, logged, userEndpoints } = await watched({}, { 'a.sql': SELECT })
    writeText('a.sql', 'select now() from edge_logs')
    await poll()
    await vi.waitFor(() => expect(logged.length).toBe(1))
    expect([changes, namesOf(userEndpoints.endpoints())]).toEqual([[], ['a']])
    expect(logged).toEqual([
      'user endpoints: a.sql cannot be used; its previous version stays: a. DIR/a.sql: ' +
        'There is no function now. Write current_timestamp(). (line 1, column 8)',
    ])
  })
})
