import { describe, expect, it } from 'vitest'
import type { LogFields } from '../../src/base/log.js'
import { readQuery, runQuery } from '../../src/client/run-query.js'
import { readTail } from '../../src/client/tail.js'
import { readWatch } from '../../src/client/watch.js'
import { COMMANDS } from '../../src/commands/all.js'
import { readGenerateConfig } from '../../src/config/generate-config.js'
import { readHealthConfig } from '../../src/config/health-config.js'
import { readServeConfig } from '../../src/config/serve-config.js'
import { VARIABLES } from '../../src/config/settings.js'
import { readTokenCreateConfig } from '../../src/config/token-config.js'
import { unknownVariables } from '../../src/config/unknown-variables.js'
import { readSqlConfig } from '../../src/sql-directory/sql-config.js'
import { fakeService, reply } from '../client/fake-service.js'
import { variablesOf } from '../support/variables.js'

const unknown = (...names: string[]) =>
  unknownVariables(Object.fromEntries(names.map((name) => [name, 'secret'])), VARIABLES)

/** Reads a configuration. Returns the configuration and the written lines. */
function reading<T>(read: (warn: (message: string, fields?: LogFields) => void) => T): [T, string[]] {
  const lines: string[] = []
  return [read((message) => void lines.push(message)), lines]
}

describe('a variable that no command reads', () => {
  it.each([
    ['LOGWEIR_RETENTION_DAY', 'LOGWEIR_RETENTION_DAYS'],
    ['LOGWEIR_RETENTIONDAYS', 'LOGWEIR_RETENTION_DAYS'],
    ['LOGWEIR_PROT', 'LOGWEIR_PORT'],
    ['LOGWEIR_DATADIR', 'LOGWEIR_DATA_DIR'],
    ['LOGWEIR_ACESS_TOKENS', 'LOGWEIR_ACCESS_TOKENS'],
    ['LOGWEIR_ACCESS_TOKEN', 'LOGWEIR_ACCESS_TOKENS'],
    ['LOGWEIR_TOKENS', 'LOGWEIR_TOKEN'],
    ['LOGWEIR_CLICKHOUSE_PASSWROD', 'LOGWEIR_CLICKHOUSE_PASSWORD'],
    ['LOGWEIR_MEMORY_LIMITS', 'LOGWEIR_MEMORY_LIMIT'],
    ['LOGWIER_PORT', 'LOGWEIR_PORT'],
    ['LOGWER_MEMORY_LIMIT', 'LOGWEIR_MEMORY_LIMIT'],
    ['logweir_port', 'LOGWEIR_PORT'],
    ['Logweir_Data_Dir', 'LOGWEIR_DATA_DIR'],
    ['LOGFLARE_PUBLIC_ACESS_TOKEN', 'LOGFLARE_PUBLIC_ACCESS_TOKEN'],
  ])('is named with the nearest one: %s', (name, meant) => {
    expect(unknown(name)).toEqual([{ name, meant }])
  })

  it.each([
    'LOGWEIR_MAX_DISK',
    'LOGWEIR_CACHE',
    'LOGWEIR_',
    'LOGWEIR_CLICKHOUSE_PORT',
  ])('is named alone if none is near: %s', (name) => expect(unknown(name)).toEqual([{ name, meant: undefined }]))

  it.each([
    ...['PORT', 'HOST', 'LOGWEIR', 'LOGGER_PORT', 'LOGIN_TOKEN', 'LOG_FORMAT', 'PATH', 'DATA_DIR', '__proto__'],
    ...['LOGFLARE_API_KEY', 'LOGFLARE_URL', 'LOGFLARE_SINGLE_TENANT', 'LOGFLARE_NODE_HOST'],
    ...['LOGWEIR_IMAGE', 'LOGWEIR_CONTAINER_MEMORY', 'LOGWEIR_TEST_SCALE', 'LOGWEIR_BENCH_ROWS'],
    ...['LOGWEIR_SERVICE_HOST', 'LOGWEIR_SERVICE_PORT', 'LOGWEIR_SERVICE_PORT_HTTP', 'LOGWEIR_PORT_4000_TCP'],
    ...['LOGWEIR_PORT_4000_TCP_ADDR', 'LOGWEIR_HEADLESS_SERVICE_HOST', 'LOGWEIR_HEADLESS_PORT_80_UDP_PROTO'],
  ])('is none of ours: %s', (name) => expect(unknown(name)).toEqual([]))

  it('is none if it is empty, or a link that Kubernetes sets', () => {
    const links = { LOGWEIR_HEADLESS_PORT: 'tcp://10.0.0.1:4000', LOGWEIR_PORT: 'tcp://10.0.0.1:4000' }
    expect(unknownVariables({ LOGWEIR_PROT: '', LOGWEIR_RETENTION_DAY: '\n', ...links }, VARIABLES)).toEqual([])
  })

  it('is none of those that a command reads', () => {
    const read = COMMANDS.flatMap(({ settings }) => variablesOf(settings))
    expect([...new Set(read)].sort()).toEqual([...VARIABLES].sort())
    expect(unknown(...read)).toEqual([])
  })

  const WRONG = { LOGWEIR_RETENTION_DAY: '7', LOGWEIR_CACHE: 'secret' }
  const LINES = [
    'no command reads the variable LOGWEIR_CACHE, which is set. logweir help COMMAND lists them.',
    'no command reads the variable LOGWEIR_RETENTION_DAY, which is set. Did you mean LOGWEIR_RETENTION_DAYS?',
  ]
  it.each([
    ['serve', (warn) => readServeConfig([], WRONG, warn)],
    ['health', (warn) => readHealthConfig([], WRONG, warn)],
    ['query', (warn) => readQuery([], WRONG, warn)],
    ['tail', (warn) => readTail(['--project', 'a'], WRONG, warn)],
    ['watch', (warn) => readWatch(['logs.all'], WRONG, warn)],
    ['sql', (warn) => readSqlConfig(['dir', 'select 1'], WRONG, warn)],
    ['generate', (warn) => readGenerateConfig([], WRONG, warn)],
    ['token create', (warn) => readTokenCreateConfig([], WRONG, warn)],
  ] as [
    string,
    (warn: (message: string) => void) => unknown,
  ][])('is named once by %s, without its value', (_, read) => {
    expect(reading(read)[1]).toEqual(LINES)
  })

  it('is named before an error', () => {
    const lines: string[] = []
    const read = () => readServeConfig(['--port', 'x'], WRONG, (message) => void lines.push(message))
    expect(read).toThrow('--port')
    expect(lines).toEqual(LINES)
  })
})

describe('a variable is read by every command that has its flag', () => {
  /**
   * Flags with another meaning: one field; a text in place of a switch; the only project and source that are counted or
   * deleted; the first of several ports to try.
   */
  const OTHERS = [
    'lines --timeField',
    'query --sql',
    'watch --sql',
    'usage --project',
    'usage --source',
    'delete --project',
    'delete --source',
    'demo --port',
  ]

  it('but by those whose flag means something else', () => {
    const serve = COMMANDS.find(({ name }) => name === 'serve')!.settings
    const unread = COMMANDS.flatMap((command) =>
      Object.entries(command.settings).flatMap(([name, { variable }]) =>
        variable === false && serve[name]?.variable !== false && name in serve ? [`${command.name} --${name}`] : [],
      ),
    )
    expect(unread).toEqual(OTHERS)
  })

  const PROJECT = { LOGWEIR_PROJECT: 'abc' }
  const SOURCE = { LOGWEIR_SOURCE: 'auth_logs' }
  const ANNOUNCED = ['--project is "abc", from LOGWEIR_PROJECT.']
  it('tail --project and --source', () => {
    const [{ project, source }, lines] = reading((warn) => readTail([], { ...PROJECT, ...SOURCE }, warn))
    expect([project, source]).toEqual(['abc', 'auth_logs'])
    expect(lines).toEqual([...ANNOUNCED, '--source is "auth_logs", from LOGWEIR_SOURCE.'])
  })

  it('query --project, if the endpoint requires a project', async () => {
    const parameters = ['project', 'x'].map((name) => ({ name, required: name === 'project', description: '' }))
    const optional = [{ name: 'project', required: false, description: '' }]
    const listed = [
      { name: 'one', parameters },
      { name: 'free', parameters: optional },
    ]
    const service = await fakeService((_, response) => reply(response, { result: listed }))
    const asked = async (...args: string[]) => {
      const config = readQuery([...args, '--url', service.url], { ...PROJECT, LOGWEIR_TOKEN: 't' }, () => {})
      await runQuery(config, { write: async () => {}, terminal: undefined }).catch(() => {})
      return service.requests.at(-1)!.url
    }
    expect(await asked('one', '--x', '1')).toBe('/api/endpoints/query/one?x=1&project=abc')
    expect(await asked('one', '--project', 'b')).toBe('/api/endpoints/query/one?project=b')
    expect(await asked('free')).toBe('/api/endpoints/query/free')
  })

  it('sql --project', () => {
    const [{ project }, lines] = reading((warn) => readSqlConfig(['dir', 'select 1'], PROJECT, warn))
    expect([project, lines]).toEqual(['abc', ANNOUNCED])
  })

  it('token create --project', () => {
    const [config, lines] = reading((warn) => readTokenCreateConfig([], PROJECT, warn))
    expect([config, lines]).toMatchObject([{ project: ['abc'] }, ANNOUNCED])
  })

  it('generate --source', () => {
    const [{ source }, lines] = reading((warn) => readGenerateConfig([], SOURCE, warn))
    expect([source, lines]).toEqual(['auth_logs', ['--source is "auth_logs", from LOGWEIR_SOURCE.']])
  })

  it('and a flag wins over it, without a line', () => {
    const [{ project }, lines] = reading((warn) => readTail(['--project', 'b'], PROJECT, warn))
    expect([project, lines]).toEqual(['b', []])
  })
})
