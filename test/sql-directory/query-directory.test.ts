import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DAY_US } from '../../src/base/units.js'
import type { RowsOut } from '../../src/client/output.js'
import { refuseOpenDeletions } from '../../src/deletions/open-deletions.js'
import { type DataDirectory, openDataDirectory } from '../../src/engine/disk/directory/open.js'
import { createDiskFiles } from '../../src/engine/disk/files/files.js'
import { readOnlyFiles } from '../../src/engine/disk/files/read-only.js'
import { queryDirectory } from '../../src/sql-directory/query-directory.js'
import { readSqlConfig } from '../../src/sql-directory/sql-config.js'
import { openViews } from '../../src/views/catalog/open-views.js'
import { viewDefinition } from '../../src/views/definition/definition.js'
import { openDeletions } from '../deletions/support.js'
import { createFakeClock } from '../support/clock.js'
import { directoryState } from '../support/directory-state.js'
import { appendAll, openEngine } from '../support/engine.js'
import { database, edge } from '../support/records.js'

const NOW_US = 20_778 * DAY_US

let root: string
let directory: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logweir-sql-directory-'))
  directory = join(root, 'data')
  mkdirSync(directory)
})
afterEach(() => rmSync(root, { recursive: true }))

const LONG = '9007199254740993'

/** Fills the directory: requests of two projects in segments, a record of the database in a journal. */
async function fill(): Promise<void> {
  const disk = await openDataDirectory(directory)
  const engine = openEngine({ disk, clock: createFakeClock(NOW_US) })
  await engine.recover()
  const request = (i: number) =>
    edge({
      id: `e${i}`,
      timestampUs: NOW_US - i * 1_000_000,
      project: i % 3 === 0 ? 'b' : 'a',
      event_message: `GET "${i}"`,
      metadata: `{"request":{"method":"${i % 2 === 0 ? 'GET' : 'POST'}"},"big":${LONG}}`,
    })
  await appendAll(engine, [...Array(1200).keys()].map(request))
  await engine.seal()
  await appendAll(engine, [database({ id: 'd', timestampUs: NOW_US, event_message: 'a,\u001b[2Jb', metadata: '{}' })])
  await engine.close()
}

/** Runs `logweir sql`, and checks that the directory does not change. */
async function run(args: readonly string[], out: Partial<RowsOut> = {}) {
  const [written, logged] = [[] as Buffer[], [] as string[]]
  const before = directoryState(directory)
  const isComplete = await queryDirectory(readSqlConfig([directory, ...args], {}), {
    clock: createFakeClock(NOW_US),
    log: (message) => void logged.push(message),
    out: { write: async (piece) => void written.push(Buffer.from(piece as string)), terminal: undefined, ...out },
  }).finally(() => expect(directoryState(directory)).toEqual(before))
  return { text: Buffer.concat(written).toString(), isComplete, logged }
}

const output = async (args: readonly string[], out?: Partial<RowsOut>) => (await run(args, out)).text

const TERMINAL = { columns: 80, isPlain: true }

describe('logweir sql', () => {
  it('answers from segments and journals, in each format', async () => {
    await fill()
    const byMethod = 'select request.method, count(*) as n from edge_logs group by 1 order by 1'
    expect(await output([byMethod])).toBe('{"result":[\n{"method":"GET","n":600},\n{"method":"POST","n":600}\n]}\n')
    expect(await output([byMethod, '--format', 'ndjson'])).toBe('{"method":"GET","n":600}\n{"method":"POST","n":600}\n')
    expect(await output([byMethod, '--format', 'csv'])).toBe('method,n\r\nGET,600\r\nPOST,600\r\n')
    const table = 'method    n\nGET     600\nPOST    600\n'
    expect(await output([byMethod, '--format', 'table'])).toBe(table)
    expect(await output([byMethod], { terminal: TERMINAL })).toBe(table)
    expect(await output([byMethod, '--columns', 'n'])).toBe('  n\n600\n600\n')
    expect(await output(['select id from postgres_logs'])).toBe('{"result":[\n{"id":"d"}\n]}\n')
  })

  it('writes an answer without rows in each format', async () => {
    await fill()
    const none = 'select id, timestamp from auth_logs'
    expect(await output([none])).toBe('{"result":[]}\n')
    expect(await output([none, '--format', 'ndjson'])).toBe('')
    expect(await output([none, '--format', 'csv'])).toBe('id,timestamp\r\n')
    expect(await output([none], { terminal: TERMINAL })).toBe('no rows\n')
  })

  it('keeps control characters from a terminal, and numbers as they are', async () => {
    await fill()
    const message = 'select event_message from postgres_logs'
    expect(await output([message, '--format', 'csv'])).toBe('event_message\r\n"a,\u001b[2Jb"\r\n')
    expect(await output([message, '--format', 'csv'], { terminal: TERMINAL })).toBe('event_message\n"a,\\u001b[2Jb"\n')
    const big = "select metadata.big from edge_logs where id = 'e7'"
    expect(await output([big, '--format', 'ndjson'])).toBe(`{"big":${LONG}}\n`)
  })

  it('reads all projects, or one', async () => {
    await fill()
    const count = 'select project, count(*) as n from edge_logs group by 1 order by 1'
    expect(await output([count, '--format', 'csv'])).toBe('project,n\r\na,800\r\nb,400\r\n')
    expect(await output([count, '--format', 'csv', '--project', 'b'])).toBe('project,n\r\nb,400\r\n')
  })

  it('shows no rows of a deletion that is not erased yet', async () => {
    await fill()
    const disk = await openDataDirectory(directory)
    const engine = openEngine({ disk, clock: createFakeClock(NOW_US) })
    await engine.recover()
    const { deletions } = openDeletions({ engine: engine.deleting, files: disk.files })
    const asked = { project: 'a', source: undefined, startUs: undefined, endUs: undefined }
    await deletions.accept({ ...asked, where: "request.method = 'GET' and project = 'a'" }, 'x')
    await engine.close()
    const count = 'select project, request.method, count(*) as n from edge_logs group by 1, 2 order by 1, 2'
    expect(await output([count, '--format', 'csv'])).toBe(
      'project,method,n\r\na,POST,400\r\nb,GET,200\r\nb,POST,200\r\n',
    )
    const files = readOnlyFiles(createDiskFiles(directory))
    await expect(refuseOpenDeletions(files, directory)).rejects.toMatchObject({
      code: 'failed',
      message:
        `${directory} has rows of a deletion that is not erased yet. Start the service until GET /api/deletions ` +
        'says that it is, stop it, and try again.',
    })
  })

  it('has at most 1000 rows', async () => {
    await fill()
    for (const limit of ['', ' limit 1100']) {
      const lines = (await output([`select id from edge_logs${limit}`, '--format', 'ndjson'])).split('\n')
      expect(lines).toHaveLength(1001)
    }
    expect((await output(['select id from edge_logs limit 2', '--format', 'ndjson'])).split('\n')).toHaveLength(3)
  })

  it('warns of names that no row has, of all projects or one', async () => {
    await fill()
    const warningsOf = async (args: readonly string[]) => {
      const warnings: string[] = []
      await output(args, { warn: (text) => void warnings.push(text) })
      return warnings
    }
    const meant = 'No row of edge_logs in the range has the field request.metod. Did you mean request.method?'
    expect(await warningsOf(['select request.metod from edge_logs limit 1'])).toEqual([meant])
    expect(await warningsOf(['select request.metod from edge_logs limit 1', '--project', 'b'])).toEqual([meant])
    expect(await warningsOf(['select request.method, big from edge_logs limit 1'])).toEqual([])
    expect(await warningsOf(['select nothing from edge_logs', '--project', 'none'])).toEqual([])
  })

  it('explains a query, with the counts of one project', async () => {
    await fill()
    const explain = "explain select id from edge_logs where request.method = 'GET'"
    const rowsOf = async (args: readonly string[]) => JSON.parse(await output([explain, ...args])).result
    expect(await rowsOf([])).toEqual(
      expect.arrayContaining([expect.objectContaining({ operator: 'scan', rows: 1200 })]),
    )
    expect(Math.max(...(await rowsOf(['--project', 'b'])).map(({ rows }: { rows: number }) => rows))).toBe(400)
  })

  it('needs no rows for a query without a source', async () => {
    await fill()
    expect(await output(['select 1 + 1 as two', '--format', 'ndjson'])).toBe('{"two":2}\n')
  })

  it('reads the query from a file', async () => {
    await fill()
    const path = join(root, 'query.sql')
    writeFileSync(path, '-- how many\nselect count(*) as n\nfrom edge_logs;\n')
    expect(await output(['--sql-file', path, '--format', 'ndjson'])).toBe('{"n":1200}\n')
  })

  it.each([
    ['select\n  cout(*)\nfrom edge_logs', /\(line 2, column 3\)\n {2}cout\(\*\)\n {2}\^$/],
    ['select id from edge_lgs', /edge_logs.*\(line 1, column 16\)\nselect id from edge_lgs\n {15}\^$/],
    ['drop table edge_logs', /\(line 1, column 1\)\ndrop table edge_logs\n\^$/],
    ["select regexp_contains(event_message, '(') from edge_logs", /\(line 1, column \d+\)\nselect regexp_.*\n +\^$/],
    ['select 1,\n  @a', /parameter @a, .* Write its value\. \(line 2, column 3\)\n {2}@a\n {2}\^$/],
  ])('refuses %j and shows the place', async (sql, message) => {
    const refused = run([sql])
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.toMatchObject({ code: 'usage' })
  })

  it('fails if a row fails the query', async () => {
    await fill()
    const failed = run(['select cast(event_message as int64) from edge_logs'])
    await expect(failed).rejects.toMatchObject({ code: 'invalid_sql' })
  })

  it('is refused while a service has the directory, and not later', async () => {
    await fill()
    const service = await openDataDirectory(directory)
    await expect(run(['select 1'])).rejects.toMatchObject({
      code: 'data_dir_in_use',
      message:
        `The data directory ${directory} is in use by process ${process.pid}. ` +
        'Query that service with logweir query --sql, or stop it.',
    })
    await service.release()
    expect(await output(['select 1 as one', '--format', 'ndjson'])).toBe('{"one":1}\n')
  })

  it('refuses what is no data directory, after the query', async () => {
    await expect(run(['select'])).rejects.toMatchObject({ code: 'usage' })
    await expect(run(['select 1'])).rejects.toMatchObject({
      code: 'failed',
      message: `${directory} is no data directory of logweir: there is no format.json in it.`,
    })
  })

  const segmentPath = () => {
    const days = join(directory, 'segments/edge_logs')
    const [day] = readdirSync(days)
    return join(days, day!, readdirSync(join(days, day!))[0]!)
  }

  it('answers without a damaged segment, and says so', async () => {
    await fill()
    truncateSync(join(segmentPath(), 'hot.arrow'), 100)
    const { text, isComplete, logged } = await run(['select count(*) as n from edge_logs', '--format', 'ndjson'])
    expect(isComplete).toBe(false)
    expect(JSON.parse(text).n).toBeLessThan(1200)
    expect(logged).toEqual([expect.stringContaining('cannot be read, and its rows are not shown')])
    expect(await run(['select count(*) as n from postgres_logs'])).toMatchObject({ isComplete: true, logged: [] })
  })

  it('answers without a segment of which the texts are damaged, if it reads them, and says so', async () => {
    await fill()
    truncateSync(join(segmentPath(), 'cold.arrow'), 100)
    const { text, isComplete, logged } = await run(['select event_message from edge_logs', '--format', 'ndjson'])
    expect([isComplete, text.split('\n').length]).toEqual([false, expect.toSatisfy((rows) => rows > 1 && rows < 1200)])
    expect(logged).toEqual([expect.stringContaining('cold.arrow is damaged')])
    expect((await run(['select count(*) from edge_logs'])).isComplete).toBe(true)
  })

  it('names a service that has started during a query that finds damage', async () => {
    await fill()
    truncateSync(join(segmentPath(), 'hot.arrow'), 100)
    let service: DataDirectory | undefined
    const write = async () => {
      service ??= await openDataDirectory(directory)
    }
    const config = readSqlConfig([directory, 'select count(*) from edge_logs'], {})
    const parts = { clock: createFakeClock(NOW_US), log: () => {}, out: { write, terminal: undefined } }
    await expect(queryDirectory(config, parts)).rejects.toMatchObject({ code: 'data_dir_in_use' })
    await service!.release()
  })
})

describe('the arguments of logweir sql', () => {
  it.each<[args: readonly string[], message: string | RegExp]>([
    [[], "sql over which directory? logweir sql DIRECTORY 'select …'"],
    [['data'], "which query? logweir sql data 'select …'"],
    [['data', ' '], 'the text of the query is empty. Write a query: select …'],
    [['data', 'select', 'id'], 'unexpected argument "id". Put the query in quotes: \'select …\''],
    [['data', 'select 1', '--sql-file', 'a'], 'the text of the query and --sql-file are both given. Give one.'],
    [['data', 'select 1', '--projct', 'a'], 'unknown flag --projct. Did you mean --project?'],
    [['data', 'select 1', '--format', 'xml'], '--format: "xml" is not one of table, json, ndjson, csv.'],
    [['data', 'select 1', '--format', 'csv', '--columns', 'a'], /^--columns is for tables/],
  ])('refuses %j', (args, message) => {
    const read = () => readSqlConfig(args, {})
    expect(read).toThrow(message)
    expect(read).toThrow(expect.objectContaining({ code: 'usage' }))
  })

  it('are read', () => {
    expect(readSqlConfig(['--project', 'a', 'data', 'select 1', '--wide'], {})).toEqual({
      directory: 'data',
      sql: 'select 1',
      project: 'a',
      wide: true,
    })
  })
})

describe('views of the directory', () => {
  const VIEW = `select timestamp_trunc(timestamp, hour) as hour, request.method, count(*) as n
    from edge_logs group by hour, method`

  /** Groups the rows of the directory, and adds rows that are not grouped yet. */
  async function fillViews(): Promise<void> {
    await fill()
    const disk = await openDataDirectory(directory)
    const clock = createFakeClock(NOW_US)
    const views = await openViews({ files: disk.files, clock, log: () => {} })
    const definition = viewDefinition(VIEW, { name: 'v', keepUs: 30 * DAY_US, place: { line: 1, column: 1 } })
    views.setCurrent([{ definition, text: VIEW }])
    const engine = openEngine({ disk, clock, readView: views.readView, keeper: views.keeper })
    await engine.recover()
    const work = await views.start(engine)
    await work.finish()
    const request = (id: string, project: string) =>
      edge({ id, project, timestampUs: NOW_US, metadata: '{"request":{"method":"PUT"}}' })
    await appendAll(engine, [request('m1', 'a'), request('m2', 'b')])
    await work.stop()
    await engine.close()
  }

  it('are read, with the rows that are not grouped yet', async () => {
    await fillViews()
    const sql = 'select method, sum(n) as n from view.v group by method order by method'
    expect(JSON.parse(await output([sql])).result).toEqual([
      { method: 'GET', n: 600 },
      { method: 'POST', n: 600 },
      { method: 'PUT', n: 2 },
    ])
    expect(JSON.parse(await output([sql, '--project', 'b'])).result).toEqual([
      { method: 'GET', n: 200 },
      { method: 'POST', n: 200 },
      { method: 'PUT', n: 1 },
    ])
    await expect(output(['select * from view.w'])).rejects.toThrow('There is no view w. Did you mean v?')
  })

  it('are not there without views', async () => {
    await fill()
    await expect(output(['select * from view.v'])).rejects.toThrow('There is no view v. There are no views')
  })
})
