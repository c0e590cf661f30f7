import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { createStderrLog } from '../../src/base/log.js'
import { COMMANDS } from '../../src/commands/all.js'
import { logFailure } from '../../src/commands/call/command.js'
import { findCommand } from '../../src/commands/call/find.js'
import { temporaryFolder } from '../program/support/program.js'

/**
 * Exit codes and messages of commands that are run in this process. test/program/exit-codes.test.ts expects that the
 * program ends with the code that the command returns.
 */

// The real modules would end this process or change the signal handlers.
vi.mock('../../src/commands/call/closed-pipe.js', () => ({ onReaderClosed() {} }))
vi.mock('../../src/base/process/exit-process.js', () => ({ exitProcess: async (code: number) => code }))
vi.mock('../../src/base/process/stop-signals.js', () => {
  const never = new Promise(() => {})
  return { catchStopSignals: () => ({ first: never, second: never }) }
})

const SERVE = ['serve', '--port', '0']
/** A gzip file that ends too early. */
const DAMAGED = gzipSync('{"a":1}').subarray(0, -4)
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
async function outcome(args: readonly string[], more: Record<string, string> = {}) {
  const environment = { LOGWEIR_IN_MEMORY: '1', LOGWEIR_ACCESS_TOKENS: 'a', ...more }
  let stderr = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += text
    return true
  })
  // Each log adds a listener, and Node warns of many.
  vi.spyOn(process.stderr, 'on').mockReturnThis()
  const code = await codeOf(args, environment).finally(() => vi.restoreAllMocks())
  expect(stderr).toMatch(/^logweir: [^\n]+\n$/)
  return { code, stderr }
}

async function codeOf(args: readonly string[], environment: Record<string, string>): Promise<number> {
  const log = createStderrLog('text')
  try {
    const { command, rest } = findCommand(args, COMMANDS)
    const { stdout, stderr } = process
    return await command.run(rest, { environment, log, stdout, stderr, commands: COMMANDS })
  } catch (error) {
    return logFailure(error, log)
  }
}

/** Temporary errors: the same call may succeed later. */
const PASSING: [what: string, call: (at: Places) => readonly string[], environment?: Record<string, string>][] = [
  ['serve: the address is not there yet', () => [...SERVE, '--host', '192.0.2.1']],
  ['serve: the name does not resolve yet', () => [...SERVE, '--host', 'wg0.invalid']],
  ['serve: a file is where the data directory will be mounted', ({ file }) => [...SERVE, '--data-dir', file]],
  ['serve: a file is where its parent will be', ({ file }) => [...SERVE, '--data-dir', join(file, 'data')]],
  ['serve: the data directory is of a newer version', ({ newer }) => [...SERVE, '--data-dir', newer]],
  ['serve: the tokens file is missing', ({ missing }) => [...SERVE, '--tokens-file', missing]],
  ['serve: the tokens file is a directory', ({ directory }) => [...SERVE, '--tokens-file', directory]],
  ['serve: the mount of the tokens file is missing', ({ file }) => [...SERVE, '--tokens-file', join(file, 'a')]],
  ['serve: the tokens file is empty', ({ file }) => [...SERVE, '--tokens-file', file]],
  [
    'serve: the kept token is a directory',
    ({ folder }) => [...SERVE, '--data-dir', withToken(folder)],
    { LOGWEIR_ACCESS_TOKENS: '' },
  ],
  ['serve: the file of settings is missing', ({ missing }) => [...SERVE, '--config', missing]],
  ['serve: the file of settings is a directory', ({ directory }) => [...SERVE, '--config', directory]],
  ['serve: the mount of the file of settings is missing', ({ file }) => [...SERVE, '--config', join(file, 'a')]],
  ['config: the file of settings is missing', ({ missing }) => ['config', '--config', missing]],
  ['query: no service', () => ['query', '--url', NOWHERE], { LOGWEIR_TOKEN: 'a' }],
  ['query: no token is kept yet', ({ directory }) => ['query', '--url', NOWHERE, '--data-dir', directory]],
  ['query: the file of settings is missing', ({ missing }) => ['query', '--config', missing]],
  ['tail: no service', () => ['tail', '--project', 'a', '--url', NOWHERE], { LOGWEIR_TOKEN: 'a' }],
  ['tail: no token is kept yet', ({ directory }) => ['tail', '--project', 'a', '--data-dir', directory]],
  ['watch: no service', () => ['watch', 'logs.all', '--url', NOWHERE], { LOGWEIR_TOKEN: 'a' }],
  ['watch: no token is kept yet', ({ directory }) => ['watch', 'logs.all', '--data-dir', directory]],
  ['watch: the file of the query is missing', ({ missing }) => ['watch', '--sql-file', missing]],
  ['health: no service', () => ['health', '--port', '9']],
  ['token create: the directory cannot be made', ({ file }) => ['token', 'create', '--data-dir', join(file, 'data')]],
  ['token list: the file is a directory', ({ directory }) => ['token', 'list', '--tokens-file', directory]],
  ['token revoke: there is no such token', ({ directory }) => ['token', 'revoke', 'a', '--data-dir', directory]],
  ['schema: no server', () => ['schema', 'clickhouse', '--apply', ...CLICKHOUSE]],
  [
    'export: no data directory',
    ({ missing }) => ['export', '--to', 'clickhouse', ...CLICKHOUSE, '--data-dir', missing],
  ],
  ['check: no data directory', ({ directory }) => ['check', directory]],
  ['check: no directory', ({ missing }) => ['check', missing]],
  ['check: a file', ({ file }) => ['check', file]],
  ['check: a newer version', ({ newer }) => ['check', newer]],
  ['alerts check: no directory', ({ missing }) => ['alerts', 'check', missing]],
  ['alerts check: the file of receivers is missing', ({ missing }) => ['alerts', 'check', '.', '--receivers', missing]],
  ['alerts test: the file is missing', ({ missing }) => ['alerts', 'test', missing]],
  ['alerts test: no service', ({ file }) => ['alerts', 'test', file, '--url', NOWHERE], { LOGWEIR_TOKEN: 'a' }],
  ['delete: no service', () => ['delete', '--project', 'a', '--url', NOWHERE], { LOGWEIR_TOKEN: 'a' }],
  ['usage: no service', () => ['usage', '--url', NOWHERE], { LOGWEIR_TOKEN: 'a' }],
  ['views: no service', () => ['views', '--url', NOWHERE], { LOGWEIR_TOKEN: 'a' }],
  ['views: no data directory', ({ directory }) => ['views', '--data-dir', directory]],
  ['views: a newer version', ({ newer }) => ['views', '--data-dir', newer]],
  ['views drop: no data directory', ({ directory }) => ['views', 'drop', 'v', '--yes', '--data-dir', directory]],
  ['views drop: a newer version', ({ newer }) => ['views', 'drop', 'v', '--yes', '--data-dir', newer]],
  ['check --repair: no data directory', ({ directory }) => ['check', '--repair', directory]],
  ['check --repair: a newer version', ({ newer }) => ['check', '--repair', newer]],
  ['sql: no data directory', ({ directory }) => ['sql', directory, 'select 1']],
  ['sql: no directory', ({ missing }) => ['sql', missing, 'select 1']],
  ['sql: a newer version', ({ newer }) => ['sql', newer, 'select 1']],
  ['sql: the file of the query is missing', ({ missing }) => ['sql', '.', '--sql-file', missing]],
  ['lines: the file is missing', ({ missing }) => ['lines', 'select a from lines', missing]],
  ['lines: the file is a folder', ({ directory }) => ['lines', 'select a from lines', directory]],
  ['lines: the file of the query is missing', ({ missing, file }) => ['lines', '--sql-file', missing, file]],
  ['lines: a damaged file', ({ file }) => ['lines', 'select a from lines', written(file, DAMAGED)]],
  ['lines: a row fails', ({ file }) => ['lines', 'select cast(a as int64) from lines', written(file, '{"a":"b"}')]],
  ['export: a newer version', ({ newer }) => ['export', '--to', 'clickhouse', ...CLICKHOUSE, '--data-dir', newer]],
]

function withToken(folder: string): string {
  mkdirSync(join(folder, 'data', 'token'), { recursive: true })
  return join(folder, 'data')
}

const TOO_LONG = `/tmp/${'a'.repeat(256)}`

/** Permanent errors: the call, or a file of the user, is wrong. */
const WRONG: [what: string, call: (at: Places) => readonly string[], environment?: Record<string, string>][] = [
  ['no command', () => []],
  ['serve: an unknown flag', () => ['serve', '--nope']],
  ['serve: an address with a port', () => [...SERVE, '--host', '0.0.0.0:4000']],
  ['serve: a name that no directory can have', () => [...SERVE, '--data-dir', TOO_LONG]],
  ['serve: a name that no file of settings can have', () => [...SERVE, '--config', TOO_LONG]],
  ['serve: a file of settings with a mistake', ({ file }) => [...SERVE, '--config', written(file, 'prot = 1')]],
  ['serve: a tokens file with a mistake', ({ file }) => [...SERVE, '--tokens-file', written(file, '{')]],
  ['serve: a token that no header can carry', () => SERVE, { LOGWEIR_ACCESS_TOKENS: 'a b' }],
  ['serve: no address of the server', () => [...SERVE, '--engine', 'clickhouse'], { LOGWEIR_IN_MEMORY: '' }],
  ['query: a service elsewhere without a token', () => ['query', '--url', 'http://192.0.2.1']],
  ['query: a token that no header can carry', () => ['query'], { LOGWEIR_TOKEN: 'a b' }],
  ['views: an unknown flag', () => ['views', '--yes']],
  ['views drop: no view named', () => ['views', 'drop', '--yes']],
  ['views drop: without --yes', ({ directory }) => ['views', 'drop', 'v', '--data-dir', directory]],
  ['watch: no endpoint named', () => ['watch']],
  ['watch: an unknown format', () => ['watch', 'logs.all', '--format', 'csv']],
  ['watch: a service elsewhere without a token', () => ['watch', 'logs.all', '--url', 'http://192.0.2.1']],
  ['health: any free port', () => ['health', '--port', '0']],
  ['token create: an end in the past', () => ['token', 'create', '--expires', '2020-01-01']],
  ['token revoke: no token named', () => ['token', 'revoke']],
  ['schema: no server named', () => ['schema', 'clickhouse', '--apply']],
  ['export: no place named', () => ['export']],
  ['check: no directory named', () => ['check']],
  ['check: two directories', () => ['check', '.', '.']],
  ['check: an unknown flag', () => ['check', '.', '--fix']],
  ['check: an unknown format', () => ['check', '.', '--format', 'csv']],
  ['alerts check: no directory named', () => ['alerts', 'check']],
  ['alerts check: an unknown flag', () => ['alerts', 'check', '.', '--repair']],
  ['delete: no project', () => ['delete', '--yes']],
  ['delete: no time', () => ['delete', '--project', 'a', '--start', 'x']],
  ['alerts test: no file named', () => ['alerts', 'test']],
  ['alerts test: an unknown flag', () => ['alerts', 'test', '.', '--frmo', '7d']],
  ['sql: no directory named', () => ['sql']],
  ['sql: no query', () => ['sql', '.']],
  ['lines: no query', () => ['lines']],
  ['lines: an unknown flag', ({ file }) => ['lines', 'select a from lines', file, '--nope']],
  [
    'lines: columns of no table',
    ({ file }) => ['lines', 'select a from lines', file, '--format', 'csv', '--columns', 'a'],
  ],
  ['lines: no field', ({ file }) => ['lines', 'select a from lines', file, '--time-field', 'a,b']],
  ['query: an empty query', () => ['query', '--sql', ' ']],
  ['generate: no number', () => ['generate', '--rows', 'many']],
  ['demo: no port', () => ['demo', '--port', '70000']],
  ['demo: an unknown flag', () => ['demo', '--row', '5']],
  ['completion: an unknown shell', () => ['completion', 'tcsh']],
]

function written(path: string, text: string | Buffer): string {
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

describe('exit code 1, after which a supervisor tries again', () => {
  it.each(PASSING)('%s', async (_, call, environment) => {
    expect(await outcome(call(places()), environment)).toMatchObject({ code: 1 })
  })

  it.each([
    [
      '192.0.2.1',
      'this machine does not have the address (EADDRNOTAVAIL). Add it to an interface, or choose another with --host.',
    ],
    [
      'wg0.invalid',
      new RegExp(
        'the name does not resolve \\((ENOTFOUND|EAI_AGAIN)\\)\\. ' +
          'Correct its DNS record, or choose an address with --host\\.\n$',
      ),
    ],
  ])('serve: the line says how to have the address %s', async (host, line) => {
    const { stderr } = await outcome(['serve', '--port', '41', '--host', host])
    expect(stderr).toMatch(line)
    expect(stderr).toContain(`Cannot listen on ${host} port 41: `)
  })

  it('serve: the data directory is free again after a start that failed', async () => {
    const dataDir = temporaryFolder()
    for (const wrong of [
      ['--tokens-file', join(dataDir, 'missing')],
      ['--host', '192.0.2.1'],
    ]) {
      expect(await outcome([...SERVE, '--data-dir', dataDir, ...wrong])).toMatchObject({ code: 1 })
      expect(readdirSync(dataDir)).toEqual(['format.json'])
    }
  })
})

describe('exit code 2, after which it stays down', () => {
  it.each(WRONG)('%s', async (_, call, environment) => {
    expect(await outcome(call(places()), environment)).toMatchObject({ code: 2 })
  })
})
