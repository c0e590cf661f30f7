import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { memoryBytes } from '../../src/base/memory/memory.js'
import { DAY_US } from '../../src/base/units.js'
import { checkTableNames, readExportConfig, readSchemaConfig } from '../../src/config/clickhouse-config.js'
import { QUERY_SETTINGS, TAIL_SETTINGS } from '../../src/config/client-settings.js'
import { readDemoConfig } from '../../src/config/demo-config.js'
import { EXPORT_SETTINGS, SCHEMA_SETTINGS } from '../../src/config/directory-settings.js'
import { readGenerateConfig } from '../../src/config/generate-config.js'
import { readImportConfig } from '../../src/config/import-config.js'
import { readServeConfig } from '../../src/config/serve-config.js'
import { CONFIG_SETTINGS, SERVE_SETTINGS } from '../../src/config/serve-settings.js'
import { isInFile, type Settings } from '../../src/config/setting.js'
import { FILE_SETTINGS } from '../../src/config/settings.js'

const serve = (line: string, environment: Record<string, string> = {}) =>
  readServeConfig(line.split(' ').filter(Boolean), environment)

const schema = (line: string, environment: Record<string, string> = {}) =>
  readSchemaConfig(line.split(' ').filter(Boolean), environment)

/** Creates a settings file that is deleted when the test ends. */
function fileOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'logweir-settings-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'logweir.toml'), text, { mode: 0o600 })
  return join(folder, 'logweir.toml')
}

const generate = (line: string) => readGenerateConfig(line.split(' ').filter(Boolean))

function complaint(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    expect(error).toMatchObject({ code: 'usage' })
    return (error as Error).message
  }
  throw new Error('nothing was complained of')
}

const HOST_EXPECTED = 'an address or a name, such as 127.0.0.1, 0.0.0.0, :: or localhost, without a port'
const SIZE_EXPECTED = 'a number of bytes above 0, such as 1073741824, 512M, 512MB, 512Mi or 0.5G'

describe('readServeConfig', () => {
  it('has defaults', () => {
    expect(serve('')).toEqual({
      port: 4000,
      host: '127.0.0.1',
      dataDir: './logweir-data',
      sources: [],
      acceptsAnySource: false,
      otlpSource: 'logweir.source',
      source: undefined,
      project: undefined,
      fieldNames: { time: ['timestamp'], message: ['event_message', 'message'] },
      memoryLimitBytes: Math.floor(memoryBytes() / 2),
      maxDiskBytes: undefined,
      evict: 'oldest',
      viewBytes: 2 ** 30,
      retentionUs: 90 * 86_400e6,
      tokensFile: undefined,
      accessTokens: undefined,
      keepAliveMs: 95_000,
      logFormat: 'text',
      sql: false,
      supabase: false,
      publicAccessToken: undefined,
      privateAccessToken: undefined,
    })
  })

  it('reads every flag', () => {
    const line =
      '--port 0 --host ::1 --data-dir d --source deno-relay-logs --memory-limit 512M --tokens-file t --log-format json'
    expect(serve(line)).toMatchObject({
      port: 0,
      host: '::1',
      dataDir: 'd',
      source: 'function_edge_logs',
      memoryLimitBytes: 512 * 2 ** 20,
      tokensFile: 't',
      logFormat: 'json',
    })
    expect(serve('--port=65535 --memory-limit=3g').port).toBe(65_535)
    expect(serve('--memory-limit=3g').memoryLimitBytes).toBe(3 * 2 ** 30)
    expect([serve('--keep-alive 1s').keepAliveMs, serve('--keep-alive 1d').keepAliveMs]).toEqual([1_000, 86_400_000])
    expect(serve('--memory-limit 123456').memoryLimitBytes).toBe(123_456)
  })

  it('reads the names of time and message fields', () => {
    const names = (line: string) => serve(line).fieldNames
    expect(names('--time-field time')).toEqual({ time: ['time'], message: ['event_message', 'message'] })
    expect(names('--message-field msg,log,ログ')).toEqual({ time: ['timestamp'], message: ['msg', 'log', 'ログ'] })
    expect(names('--time-field a,b,c,d,e,f,g,h').time).toHaveLength(8)
    for (const wrong of ['a,,b', ',', 'a,b,c,d,e,f,g,h,i', 'x'.repeat(65), 'id', 'a,metadata', 'source', 'project']) {
      const message =
        `--time-field: ${JSON.stringify(wrong)} is not up to 8 names of top-level fields, comma separated, ` +
        'each at most 64 bytes, not id, source, project or metadata.'
      expect(() => serve(`--time-field ${wrong}`)).toThrow(expect.objectContaining({ code: 'usage', message }))
    }
    expect(() => serve('--time-field a,b --message-field c,b')).toThrow(
      '--time-field and --message-field name the same field. Leave it out of one of the two.',
    )
    expect(() => serve('--time-field message')).toThrow('name the same field')
  })

  it('reads every variable', () => {
    const environment = {
      LOGWEIR_PORT: '5000',
      LOGWEIR_HOST: '0.0.0.0',
      LOGWEIR_DATA_DIR: 'd',
      LOGWEIR_SOURCES: 'nginx,*,app',
      LOGWEIR_OTLP_SOURCE: 'service.name',
      LOGWEIR_SOURCE: 'edge_logs',
      LOGWEIR_PROJECT: 'p',
      LOGWEIR_TIME_FIELD: 'time, ts,time',
      LOGWEIR_MESSAGE_FIELD: 'msg',
      LOGWEIR_MEMORY_LIMIT: '2K',
      LOGWEIR_MAX_DISK_BYTES: '10M',
      LOGWEIR_EVICT: 'largest',
      LOGWEIR_RETENTION_DAYS: '7',
      LOGWEIR_TOKENS_FILE: 't',
      LOGWEIR_ACCESS_TOKENS: 'a,b',
      LOGWEIR_KEEP_ALIVE: '10m',
      LOGWEIR_LOG_FORMAT: 'json',
      LOGWEIR_SQL: 'on',
      LOGWEIR_SUPABASE: 'off',
      LOGWEIR_IN_MEMORY: 'false',
    }
    expect(serve('', environment)).toEqual({
      port: 5000,
      host: '0.0.0.0',
      dataDir: 'd',
      sources: ['nginx', 'app'],
      acceptsAnySource: true,
      otlpSource: 'service.name',
      source: 'edge_logs',
      project: 'p',
      fieldNames: { time: ['time', 'ts'], message: ['msg'] },
      memoryLimitBytes: 2048,
      maxDiskBytes: 10 * 2 ** 20,
      evict: 'largest',
      viewBytes: 2 ** 30,
      retentionUs: 7 * 86_400e6,
      tokensFile: 't',
      accessTokens: 'a,b',
      keepAliveMs: 600_000,
      logFormat: 'json',
      sql: true,
      supabase: false,
      publicAccessToken: undefined,
      privateAccessToken: undefined,
    })
  })

  it('turns SQL on with --supabase', () => {
    expect(serve('--supabase')).toMatchObject({ sql: true, supabase: true })
    expect(serve('--supabase', { LOGWEIR_SQL: 'off' })).toMatchObject({ sql: true })
    expect(serve('--sql')).toMatchObject({ sql: true, supabase: false })
  })

  it('reads the tokens of a Supabase from variables only', () => {
    const environment = { LOGFLARE_PUBLIC_ACCESS_TOKEN: 'send\n', LOGFLARE_PRIVATE_ACCESS_TOKEN: 'ask' }
    const [read, unread] = [
      { publicAccessToken: 'send', privateAccessToken: 'ask' },
      { publicAccessToken: undefined, privateAccessToken: undefined },
    ]
    expect(serve('--supabase', environment)).toMatchObject(read)
    expect(serve('', { ...environment, LOGWEIR_SUPABASE: '1' })).toMatchObject(read)
    const empty = { LOGFLARE_PUBLIC_ACCESS_TOKEN: '', LOGFLARE_PRIVATE_ACCESS_TOKEN: '' }
    expect(serve('--supabase', empty)).toMatchObject(unread)
    const misnamed = { LOGWEIR_PUBLIC_ACCESS_TOKEN: 'a', LOGWEIR_PRIVATE_ACCESS_TOKEN: 'b' }
    expect(serve('--supabase', misnamed)).toMatchObject(unread)
    expect(complaint(() => serve('--supabase --public-access-token a'))).toContain('unknown flag --public-access-token')
    const file = fileOf('supabase = true\nprivate-access-token = "hush"\n')
    expect(complaint(() => serve(`--config ${file}`))).toContain('line 2: unknown setting "private-access-token"')
  })

  it('takes variables that were made from files: without a byte order mark and line ends', () => {
    const environment = {
      LOGWEIR_PORT: '5000\n',
      LOGWEIR_HOST: '\ufeff0.0.0.0',
      LOGWEIR_DATA_DIR: 'a b \r\n',
      LOGWEIR_SOURCE: 'edge_logs\r',
      LOGWEIR_TOKENS_FILE: '/run/secrets/t\n\n',
    }
    expect(serve('', environment)).toMatchObject({
      port: 5000,
      host: '0.0.0.0',
      dataDir: 'a b ',
      source: 'edge_logs',
      tokensFile: '/run/secrets/t',
    })
  })

  it.each([
    ['hush\n', 'hush'],
    ['\ufeffhush\r\n', 'hush'],
    [' "hu sh" ', ' "hu sh" '],
  ])('takes the password of ClickHouse as %j: blanks and quotes may be part of it', (text, password) => {
    const environment = { LOGWEIR_CLICKHOUSE_URL: 'http://c:8123', LOGWEIR_CLICKHOUSE_PASSWORD: text }
    expect(serve('--engine clickhouse', environment).clickhouse?.password).toBe(password)
  })

  it('lets flags win over variables, also where they exclude each other', () => {
    expect(serve('--port 1', { LOGWEIR_PORT: '2' }).port).toBe(1)
    expect(serve('--port 1', { LOGWEIR_PORT: 'nonsense' }).port).toBe(1)
    expect(serve('--in-memory', { LOGWEIR_DATA_DIR: 'd' }).dataDir).toBeUndefined()
    expect(serve('--data-dir d', { LOGWEIR_IN_MEMORY: '1' }).dataDir).toBe('d')
  })

  it('takes the words of variables as values of switches, which a flag can turn off', () => {
    for (const word of ['1', 'true', 'Yes', 'on']) expect(serve(`--sql=${word}`, { LOGWEIR_SQL: '0' }).sql).toBe(true)
    for (const word of ['0', 'false', 'No', 'off']) expect(serve(`--sql=${word}`, { LOGWEIR_SQL: '1' }).sql).toBe(false)
    expect(serve('--sql=false --sql').sql).toBe(true)
    expect(serve('--sql --sql=false').sql).toBe(false)
    expect(serve('--in-memory=false', { LOGWEIR_IN_MEMORY: '1' }).dataDir).toBe(serve('').dataDir)
    expect(serve('--in-memory=false', { LOGWEIR_DATA_DIR: 'd' }).dataDir).toBe('d')
    expect(serve('--in-memory=false --data-dir d').dataDir).toBe('d')
  })

  it.each([
    ['--nope', 'unknown flag --nope. Try: logweir --help'],
    ['-p 4000', 'unknown flag -p. Try: logweir --help'],
    ['--access-tokens secret', 'unknown flag --access-tokens. Try: logweir --help'],
    ['extra', 'unexpected argument "extra". Try: logweir --help'],
    ['--port', '--port needs a value: --port VALUE.'],
    ['--port --host', '--port needs a value: --port VALUE.'],
    ['--port -1', '--port: "-1" is not an integer from 0 to 65535.'],
    ['--port=-1', '--port: "-1" is not an integer from 0 to 65535.'],
    ['--port -.5', '--port: "-.5" is not an integer from 0 to 65535.'],
    ['--port -p', '--port needs a value: --port VALUE.'],
    ['--port -', '--port needs a value: --port VALUE.'],
    ['--memory-limit -1M', `--memory-limit: "-1M" is not ${SIZE_EXPECTED}.`],
    ['--in-memory=maybe', '--in-memory: "maybe" is not one of 1, true, yes, on, 0, false, no, off.'],
    ['--in-memory=', '--in-memory: "" is not one of 1, true, yes, on, 0, false, no, off.'],
    ['--in-memory false', 'unexpected argument "false". Try: logweir --help'],
    ['--data-dir d --in-memory=true', '--data-dir and --in-memory exclude each other. Give one of the two.'],
    ['--port 65536', '--port: "65536" is not an integer from 0 to 65535.'],
    ['--port 4e3', '--port: "4e3" is not an integer from 0 to 65535.'],
    ['--port=', '--port: "" is not an integer from 0 to 65535.'],
    ['--host=', `--host: "" is not ${HOST_EXPECTED}.`],
    ['--host 0.0.0.0:4000', `--host: "0.0.0.0:4000" is not ${HOST_EXPECTED}.`],
    ['--data-dir=', '--data-dir: "" is not a text of at least one character.'],
    ['--log-format xml', '--log-format: "xml" is not one of text, json.'],
    ['--memory-limit 0', `--memory-limit: "0" is not ${SIZE_EXPECTED}.`],
    ['--memory-limit 1.5', `--memory-limit: "1.5" is not ${SIZE_EXPECTED}.`],
    ['--keep-alive 0s', '--keep-alive: "0s" is not a length of time from 1s to 1d, such as 95s or 10m.'],
    ['--keep-alive 25h', '--keep-alive: "25h" is not a length of time from 1s to 1d, such as 95s or 10m.'],
    ['--keep-alive 95', '--keep-alive: "95" is not a length of time from 1s to 1d, such as 95s or 10m.'],
    ['--data-dir d --in-memory', '--data-dir and --in-memory exclude each other. Give one of the two.'],
  ])('refuses %s', (line, message) => {
    expect(complaint(() => serve(line))).toBe(message)
  })

  it('refuses nonsense in variables, by their names', () => {
    expect(complaint(() => serve('', { LOGWEIR_PORT: ' ' }))).toBe(
      'LOGWEIR_PORT: " " is not an integer from 0 to 65535.',
    )
    expect(complaint(() => serve('', { LOGWEIR_IN_MEMORY: 'maybe' }))).toBe(
      'LOGWEIR_IN_MEMORY: "maybe" is not one of 1, true, yes, on, 0, false, no, off.',
    )
    expect(complaint(() => serve('', { LOGWEIR_SOURCE: 'Nginx' }))).toMatch(
      /^LOGWEIR_SOURCE: "Nginx" is not a source: /,
    )
    expect(complaint(() => serve('', { LOGWEIR_IN_MEMORY: '1', LOGWEIR_DATA_DIR: 'd' }))).toMatch(/exclude each other/)
  })

  it('does not stumble over names that objects have anyway', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(complaint(() => serve(`--${name} x`))).toBe(`unknown flag --${name}. Try: logweir --help`)
      expect(complaint(() => serve('', { LOGWEIR_IN_MEMORY: name }))).toMatch(/is not one of/)
    }
  })
})

describe('--config', () => {
  const FULL = `
# where people read
port = 1
host = "file"
in-memory = false
memory-limit = "2K"
max-disk-bytes = 7
access-tokens = "a,b" # secret
url = "http://elsewhere:1"
`

  it('is a file with the names of flags', () => {
    expect(serve(`--config ${fileOf(FULL)}`)).toMatchObject({
      port: 1,
      host: 'file',
      dataDir: './logweir-data',
      memoryLimitBytes: 2048,
      maxDiskBytes: 7,
      accessTokens: 'a,b',
    })
    expect(serve('', { LOGWEIR_CONFIG: fileOf('port = 2') }).port).toBe(2)
    expect(serve(`--config ${fileOf('port = 3')}`, { LOGWEIR_CONFIG: '/no/such' }).port).toBe(3)
  })

  // All origins of the port. The origin of highest precedence wins.
  it.each([0, 1, 2, 3, 4, 5, 6, 7])('is weaker than flag and variable, stronger than the default: case %i', (bits) => {
    const [flag, variable, file] = [bits & 4, bits & 2, bits & 1]
    const line = `${flag ? '--port 1' : ''} ${file ? `--config ${fileOf('port = 3')}` : ''}`
    const expected = flag ? 1 : variable ? 2 : file ? 3 : 4000
    expect(serve(line, variable ? { LOGWEIR_PORT: '2' } : {}).port).toBe(expected)
  })

  it('lets what is said more strongly win where two exclude each other', () => {
    const [inMemory, onDisk] = [fileOf('in-memory = true'), fileOf('data-dir = "d"')]
    expect(serve(`--config ${inMemory}`).dataDir).toBeUndefined()
    expect(serve(`--config ${inMemory}`, { LOGWEIR_DATA_DIR: 'v' }).dataDir).toBe('v')
    expect(serve(`--config ${inMemory} --data-dir f`).dataDir).toBe('f')
    expect(serve(`--config ${onDisk}`, { LOGWEIR_IN_MEMORY: '1' }).dataDir).toBeUndefined()
    expect(serve(`--config ${onDisk} --in-memory`).dataDir).toBeUndefined()
    const both = fileOf('in-memory = true\ndata-dir = "d"')
    expect(complaint(() => serve(`--config ${both}`))).toMatch(/exclude each other/)
  })

  it('is for schema and export what it is for serve', () => {
    const file = fileOf('clickhouse-url = "http://ch:1"\nclickhouse-password = "p"\nport = 1')
    expect(readSchemaConfig(['--config', file, '--apply'], {}).clickhouse).toMatchObject({
      url: 'http://ch:1',
      password: 'p',
    })
    expect(readExportConfig(['--config', file, '--to', 'clickhouse'], {}).clickhouse.url).toBe('http://ch:1')
  })

  it('may hold whatever a variable can say, of every command', () => {
    const named = [SERVE_SETTINGS, SCHEMA_SETTINGS, EXPORT_SETTINGS, CONFIG_SETTINGS, QUERY_SETTINGS, TAIL_SETTINGS]
    const wanted = named.flatMap((settings: Settings) =>
      Object.keys(settings).filter((name) => isInFile(settings[name]!)),
    )
    expect(Object.keys(FILE_SETTINGS)).toEqual(expect.arrayContaining(wanted))
    expect(wanted.length).toBeGreaterThan(20)
  })
})

describe('readDemoConfig', () => {
  it('has defaults and reads every flag', () => {
    expect(readDemoConfig([])).toEqual({ port: 4000, rows: 200_000 })
    expect(readDemoConfig(['--port', '0', '--rows', '5', '--once'])).toEqual({ port: 0, rows: 5, once: true })
  })
})

describe('readGenerateConfig', () => {
  it('has defaults and reads every flag', () => {
    expect(generate('')).toEqual({
      rows: 1000,
      seed: 1,
      source: 'all',
      span: 7 * 86_400e6,
      end: 'now',
      projects: 2000,
      badEvery: 0,
    })
    const line =
      '--rows 5 --seed 0 --source storage.logs.prod.2 --span 90m --end 2026-11-20T10:00:00Z ' +
      '--slim --optional-headers --projects 3 --bad-every 2'
    expect(generate(line)).toEqual({
      rows: 5,
      seed: 0,
      source: 'storage_logs',
      span: 5_400e6,
      end: Date.UTC(2026, 10, 20, 10) * 1000,
      slim: true,
      optionalHeaders: true,
      projects: 3,
      badEvery: 2,
    })
  })

  it.each([
    '--rows 0',
    '--rows -1',
    '--seed x',
    '--source nginx',
    '--span 7',
    '--span 0d',
    '--end soon',
    '--projects 0',
  ])('refuses %s', (line) => {
    expect(complaint(() => generate(line))).toMatch(/^--/)
  })
})

const URL_FLAG = '--clickhouse-url http://127.0.0.1:8123'
const CLICKHOUSE = {
  url: 'http://127.0.0.1:8123',
  cluster: undefined,
  database: 'logweir',
  user: 'default',
  password: '',
}
const VARIABLES = {
  LOGWEIR_CLICKHOUSE_URL: 'https://ch1:8443',
  LOGWEIR_CLICKHOUSE_CLUSTER: 'weir',
  LOGWEIR_CLICKHOUSE_DATABASE: 'logs',
  LOGWEIR_CLICKHOUSE_USER: 'reader',
  LOGWEIR_CLICKHOUSE_PASSWORD: "pa'ss",
}
const OF_VARIABLES = { url: 'https://ch1:8443', cluster: 'weir', database: 'logs', user: 'reader', password: "pa'ss" }
const URL_EXPECTED =
  "the URL of a ClickHouse server's HTTP interface, such as http://127.0.0.1:8123, without name and password"
const NAME_EXPECTED = 'a name of letters, digits and _, not starting with a digit'

describe('--engine clickhouse', () => {
  it('has defaults, and reads every flag and variable', () => {
    expect(serve(`--engine clickhouse ${URL_FLAG}`)).toMatchObject({
      clickhouse: CLICKHOUSE,
      dataDir: './logweir-data',
    })
    const flags = '--clickhouse-cluster c_1 --clickhouse-database d --clickhouse-user u'
    expect(serve(`--engine clickhouse ${URL_FLAG} ${flags}`).clickhouse).toEqual({
      ...CLICKHOUSE,
      cluster: 'c_1',
      database: 'd',
      user: 'u',
    })
    expect(serve('', { LOGWEIR_ENGINE: 'clickhouse', ...VARIABLES }).clickhouse).toEqual(OF_VARIABLES)
  })

  it('is what counts: an address alone changes no engine', () => {
    expect(serve(URL_FLAG).clickhouse).toBeUndefined()
    expect(serve('--engine embedded', { LOGWEIR_ENGINE: 'clickhouse', ...VARIABLES }).clickhouse).toBeUndefined()
  })

  it.each([
    ['--engine postgres', '--engine: "postgres" is not one of embedded, clickhouse.'],
    ['--engine clickhouse', "--engine clickhouse needs the server's address: --clickhouse-url http://127.0.0.1:8123"],
    [
      `--engine clickhouse ${URL_FLAG} --in-memory`,
      '--engine clickhouse stores rows that the server has not confirmed in --data-dir. Leave out --in-memory.',
    ],
    ['--clickhouse-url ch1:8123', `--clickhouse-url: "ch1:8123" is not ${URL_EXPECTED}.`],
    ['--clickhouse-url tcp://ch1:9000', `--clickhouse-url: "tcp://ch1:9000" is not ${URL_EXPECTED}.`],
    ['--clickhouse-url http://u:p@ch1:8123', `--clickhouse-url: "http://***@ch1:8123" is not ${URL_EXPECTED}.`],
    ['--clickhouse-url http://u@ch1:8123', `--clickhouse-url: "http://***@ch1:8123" is not ${URL_EXPECTED}.`],
    ['--clickhouse-cluster a-b', `--clickhouse-cluster: "a-b" is not ${NAME_EXPECTED}.`],
    ['--clickhouse-database 1d', `--clickhouse-database: "1d" is not ${NAME_EXPECTED}.`],
    ['--clickhouse-user=', '--clickhouse-user: "" is not a text of at least one character.'],
    ['--clickhouse-password secret', 'unknown flag --clickhouse-password. Try: logweir --help'],
  ])('refuses %s', (line, message) => {
    expect(complaint(() => serve(line))).toBe(message)
  })
})

describe('readSchemaConfig', () => {
  it('needs no server to print, and one to apply', () => {
    expect(schema('')).toEqual({ apply: false, sources: [], clickhouse: { ...CLICKHOUSE, url: undefined } })
    expect(schema(`--apply ${URL_FLAG}`)).toEqual({ apply: true, sources: [], clickhouse: CLICKHOUSE })
    expect(schema('--apply', VARIABLES)).toEqual({ apply: true, sources: [], clickhouse: OF_VARIABLES })
  })

  it('takes the history of alerts as a source with a table, which no other command does', () => {
    expect(schema('--sources nginx,alert_events').sources).toEqual(['nginx', 'alert_events'])
    expect(complaint(() => schema('--sources alert_events,alert_events'))).toContain('is in the list twice')
    expect(complaint(() => serve('--sources nginx,alert_events'))).toContain('has a meaning of its own in queries')
    expect(complaint(() => serve('--source alert_events --sources *'))).toContain('alert_events is none of the nine')
    expect(complaint(() => serve('--receivers a'))).toContain('--receivers needs rules')
  })

  it.each([
    ['now', 'unexpected argument "now". Try: logweir --help'],
    ['--prot 1', 'unknown flag --prot. Try: logweir --help'],
    ['--aply', 'unknown flag --aply. Did you mean --apply?'],
    ['--apply', "--apply needs the server's address: --clickhouse-url http://127.0.0.1:8123"],
  ])('refuses "%s"', (line, message) => {
    expect(complaint(() => schema(line))).toBe(message)
  })
})

describe('readExportConfig', () => {
  const exporting = (line: string, environment = {}) => readExportConfig(line.split(' ').filter(Boolean), environment)

  it('has defaults, and reads every flag and variable', () => {
    expect(exporting(`--to clickhouse ${URL_FLAG}`)).toEqual({ dataDir: './logweir-data', clickhouse: CLICKHOUSE })
    expect(exporting('--to clickhouse --data-dir d', VARIABLES)).toEqual({ dataDir: 'd', clickhouse: OF_VARIABLES })
    expect(exporting('--to clickhouse', { LOGWEIR_DATA_DIR: 'e', ...VARIABLES }).dataDir).toBe('e')
  })

  it.each([
    ['', 'export to where? Name the destination: logweir export --to clickhouse'],
    ['clickhouse', 'unexpected argument "clickhouse". Try: logweir --help'],
    ['--to parquet', '--to: "parquet" is not one of clickhouse.'],
    ['--to clickhouse', "--to clickhouse needs the server's address: --clickhouse-url http://127.0.0.1:8123"],
    [`--to clickhouse ${URL_FLAG} --in-memory`, 'unknown flag --in-memory. Try: logweir --help'],
  ])('refuses "%s"', (line, message) => {
    expect(complaint(() => exporting(line))).toBe(message)
  })
})

describe('readImportConfig', () => {
  const importing = (line: string, environment = {}) => readImportConfig(line.split(' ').filter(Boolean), environment)
  const url = 'postgresql://u:secret@127.0.0.1/_supabase'
  const example = 'postgresql://supabase_admin@127.0.0.1:5432/_supabase'

  it('has defaults, and reads every flag and variable', () => {
    expect(importing(`--from logflare-postgres ${url}`)).toEqual({
      ...{ url, schema: '_analytics', dataDir: './logweir-data', retentionUs: 90 * DAY_US },
      ...{ untilUs: undefined, memoryLimitBytes: Math.min(Math.floor(memoryBytes() / 2), 2 ** 30) },
      maxDiskBytes: undefined,
      sources: [],
    })
    const flags = '--until 1970-01-02 --schema s --retention-days 2 --data-dir d --memory-limit 3G --max-disk-bytes 1K'
    expect(importing(`${url} ${flags} --sources a,b --from logflare-postgres`)).toEqual({
      ...{ url, schema: 's', dataDir: 'd', retentionUs: 2 * DAY_US, untilUs: DAY_US },
      ...{ memoryLimitBytes: 3 * 2 ** 30, maxDiskBytes: 1024, sources: ['a', 'b'] },
    })
    const variables = {
      ...{ LOGWEIR_DATA_DIR: 'e', LOGWEIR_RETENTION_DAYS: '3', LOGWEIR_UNTIL: 'x', LOGWEIR_SCHEMA: 'x' },
      ...{ LOGWEIR_MEMORY_LIMIT: '256M', LOGWEIR_MAX_DISK_BYTES: '2K', LOGWEIR_SOURCES: 'c' },
    }
    expect(importing(`--from logflare-postgres ${url}`, variables)).toEqual({
      ...{ url, schema: '_analytics', dataDir: 'e', retentionUs: 3 * DAY_US, untilUs: undefined },
      ...{ memoryLimitBytes: 2 ** 28, maxDiskBytes: 2048, sources: ['c'] },
    })
  })

  it.each([
    ['', `import from where? Name the origin: logweir import --from logflare-postgres ${example}`],
    [`--from ${url}`, '--from: "postgresql://***@127.0.0.1/_supabase" is not one of logflare-postgres.'],
    [
      '--from logflare-postgres',
      `import from which database? Give its URL: logweir import --from logflare-postgres ${example}`,
    ],
    ['--from logflare-postgres mysql://u:secret@h/d', `the address of the database is no URL such as ${example}`],
    [
      `--from logflare-postgres ${url} ${url}`,
      'there is more than one argument after the flags. Give one URL, in quotes.',
    ],
    [`--from logflare-postgres ${url} --sources *`, '--sources: * is for serve. Name the sources to import.'],
    [`--from logflare-postgres ${url} --untill now`, 'unknown flag --untill. Did you mean --until?'],
    [
      `--from logflare-postgres ${url} --until now`,
      '--until: "now" is not an ISO 8601 time, such as 2026-11-20T10:00:00Z.',
    ],
  ])('refuses "%s"', (line, message) => {
    expect(complaint(() => importing(line))).toBe(message)
  })
})

describe('own sources', () => {
  it('are named by a flag, a variable or a file', () => {
    expect(serve('').sources).toEqual([])
    expect(serve('--sources nginx').acceptsAnySource).toBe(false)
    expect(serve('--sources nginx,app').sources).toEqual(['nginx', 'app'])
    expect(serve('', { LOGWEIR_SOURCES: 'nginx' }).sources).toEqual(['nginx'])
    expect(serve(`--config ${fileOf('sources = "nginx,app"')}`).sources).toEqual(['nginx', 'app'])
  })

  it('may have any name', () => {
    for (const [list, sources] of [
      ['*', []],
      ['nginx,*', ['nginx']],
    ] as const)
      expect(serve(`--sources ${list} --source by_default`)).toMatchObject({
        ...{ sources, acceptsAnySource: true, source: 'by_default' },
      })
  })

  it('may be named by a resource of OTLP', () => {
    expect(serve('').otlpSource).toBe('logweir.source')
    expect(serve('--otlp-source service.name').otlpSource).toBe('service.name')
    expect(() => serve('--otlp-source host.name')).toThrow('is not one of logweir.source, service.name')
  })

  it('with a wrong name stop the start, with the name and the reason', () => {
    const wrong = (line: string, message: string) =>
      expect(() => serve(line)).toThrow(expect.objectContaining({ code: 'usage', message }))
    wrong('--sources nginx,select', '--sources: "select" has a meaning of its own in queries.')
    wrong('--sources a,edge_logs', '--sources: "edge_logs" is one of the nine sources, which need not be named.')
    wrong(
      '--sources * --engine clickhouse --clickhouse-url http://127.0.0.1:8123',
      '--sources: with ClickHouse each source has a table, which logweir schema clickhouse --apply creates. ' +
        'Name the sources, such as --sources nginx,app, instead of "*".',
    )
    wrong(
      '--sources a --source b',
      '--source: b is none of the nine sources, and --sources does not name it. Add it there.',
    )
  })

  it('are tables of ClickHouse, but for names of the tables of shards', () => {
    const clickhouse = '--engine clickhouse --clickhouse-url http://127.0.0.1:8123'
    expect(serve(`--sources nginx,app ${clickhouse}`).sources).toEqual(['nginx', 'app'])
    expect(schema('--sources nginx,app')).toMatchObject({ apply: false, sources: ['nginx', 'app'] })
    expect(schema('', { LOGWEIR_SOURCES: 'nginx' }).sources).toEqual(['nginx'])
    expect(schema('').sources).toEqual([])
    expect(serve('--sources edge_logs_shard').sources).toEqual(['edge_logs_shard'])
    const fault =
      '--sources: edge_logs_shard cannot be a table of ClickHouse: names that end with _shard are those of the ' +
      'tables of shards. Choose another name.'
    for (const read of [
      () => serve(`--sources a,edge_logs_shard ${clickhouse}`),
      () => schema('--sources edge_logs_shard'),
    ]) {
      expect(read).toThrow(expect.objectContaining({ code: 'usage', message: fault }))
    }
  })

  it('of any name have no table of ClickHouse', () => {
    expect(() => checkTableNames(['nginx', 'app'])).not.toThrow()
    expect(() => checkTableNames(['*'])).toThrow(
      expect.objectContaining({
        code: 'usage',
        message:
          '--sources: with ClickHouse each source has a table, which logweir schema clickhouse --apply creates. ' +
          'Name the sources, such as --sources nginx,app, instead of "*".',
      }),
    )
  })

  it('are joined by those of Supabase with --supabase, as far as the limit goes', () => {
    expect(serve('--supabase --sources app,pg_cron_logs').sources).toEqual([
      ...['app', 'pg_cron_logs', 'supavisor_logs', 'auth_audit_logs', 'multigres_logs', 'etl_replication_logs'],
      ...['pg_upgrade_logs', 'database_version_upgrade_logs'],
    ])
    expect(serve('--supabase --source supavisor_logs').source).toBe('supavisor_logs')
    const most = Array.from({ length: 199 }, (_, i) => `n${i}`)
    expect(serve(`--supabase --sources ${most}`).sources).toEqual([...most, 'supavisor_logs'])
    const clickhouse = '--engine clickhouse --clickhouse-url http://127.0.0.1:8123'
    expect(serve(`--supabase ${clickhouse}`).sources).toEqual([])
  })

  it('may be the source of standard input', () => {
    expect(serve('--sources a,b --source b').source).toBe('b')
    expect(serve('--sources a --source postgres.logs').source).toBe('postgres_logs')
  })
})
