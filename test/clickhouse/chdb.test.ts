import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask, command, rows } from './ask.js'
import { type Chdb, findChdb, startChdb, WHY_NO_CHDB } from './chdb.js'
import { nativeBlock, nativeInt64, nativeNullableFloat64, nativeText } from './native.js'
import { describeWhere } from './needs.js'

const INSERT = 'INSERT INTO kept (name, at, value) FORMAT Native'
const UNKNOWN_TABLE = 60
/** Cannot read all data, or incorrect data: the code depends on the place of the cut. */
const CUT_OFF = [33, 117]

const NAMES = ['a\0b', '😀\u2028"\'\\']
const TIMES = [1n, -9007199254740993n]
const VALUES = [0.1, null]
const BLOCK = nativeBlock(
  [
    { name: 'name', type: 'String', data: Buffer.concat(NAMES.map(nativeText)) },
    { name: 'at', type: 'Int64', data: nativeInt64(TIMES) },
    { name: 'value', type: 'Nullable(Float64)', data: nativeNullableFloat64(VALUES) },
  ],
  2,
)

describeWhere(findChdb(), 'chdb', WHY_NO_CHDB, 'an embedded ClickHouse, served', () => {
  let chdb: Chdb
  let url: string

  beforeAll(async () => {
    chdb = await startChdb()
    url = chdb.url
    await command(
      url,
      'CREATE TABLE kept (name String, at Int64, value Nullable(Float64)) ENGINE = MergeTree ORDER BY at',
    )
  })
  afterAll(() => chdb?.stop())

  it('is a ClickHouse of 2025 or later', async () => {
    expect(await (await fetch(`${url}/ping`)).text()).toBe('Ok.\n')
    const [[version]] = (await rows(url, 'SELECT version()')) as [[string]]
    expect(Number.parseInt(version, 10)).toBeGreaterThanOrEqual(25)
  })

  it.each([
    ['as it is', BLOCK, undefined],
    ['gzipped', gzipSync(BLOCK), { 'content-encoding': 'gzip' }],
  ])('takes in a block of columns, %s', async (_, data, headers) => {
    await command(url, 'TRUNCATE TABLE kept')
    expect(await ask(url, INSERT, { data, headers })).toEqual({ status: 200, text: '' })
    const parameters = { default_format: 'JSONCompact', output_format_json_quote_64bit_integers: '1' }
    const { text } = await ask(url, 'SELECT name, at, value FROM kept ORDER BY at DESC', { parameters })
    expect(JSON.parse(text).data).toEqual(NAMES.map((name, i) => [name, String(TIMES[i]), VALUES[i]]))
  })

  it('takes in nothing of a block that was cut off', async () => {
    await command(url, 'TRUNCATE TABLE kept')
    const { status, code } = await ask(url, INSERT, { data: BLOCK.subarray(0, -1) })
    expect(status).toBe(500)
    expect(CUT_OFF).toContain(code)
    expect(await rows(url, 'SELECT count() FROM kept')).toEqual([[0]])
  })

  it('says an error as a server does', async () => {
    const response = await fetch(url, { method: 'POST', body: 'SELECT * FROM nowhere' })
    expect(response.status).toBe(500)
    expect(response.headers.get('x-clickhouse-exception-code')).toBe(String(UNKNOWN_TABLE))
    expect(await response.text()).toMatch(/^Code: 60\. DB::Exception: .*nowhere.*\n$/s)
  })

  it('puts nothing of an answer that failed before the next one', async () => {
    const parameters = { default_format: 'JSONCompact' }
    const failed = await ask(url, 'SELECT number, throwIf(number > 300000) FROM numbers(400000)', { parameters })
    expect(failed).toMatchObject({ status: 500, code: 395 })
    expect(await rows(url, 'SELECT 2')).toEqual([[2]])
  })

  it('holds settings and the database for the one request that has them', async () => {
    const state = "SELECT getSetting('max_execution_time'), currentDatabase()"
    const parameters = { max_execution_time: '3', database: 'system', query_id: 'one', wait_end_of_query: '1' }
    expect((await ask(url, state, { parameters })).text).toBe('3\tsystem\n')
    expect((await ask(url, state)).text).toBe('0\tdefault\n')
  })

  it('answers questions that are asked at once, one after the other', async () => {
    const numbers = Array.from({ length: 20 }, (_, i) => i)
    const answers = await Promise.all(numbers.map((number) => rows(url, `SELECT ${number}`)))
    expect(answers.flat(2)).toEqual(numbers)
  })
})
