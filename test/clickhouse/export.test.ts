import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import { SOURCE_NAMES, type SourceName } from '../../src/common/sources.js'
import { quotedTable } from '../../src/engine/clickhouse/schema/table-names.js'
import { type Server, ServerError } from '../../src/engine/clickhouse/server/clickhouse-server.js'
import type { Files } from '../../src/engine/disk/files/files.js'
import type { ArrowEngineOptions } from '../../src/engine/store/engine.js'
import { exportRows } from '../../src/export/export.js'
import { expectRows } from '../oracle/compare.js'
import { numbersBehind } from '../oracle/oracle.js'
import { executable } from '../program/support/executable.js'
import { run as runProgram, serve, temporaryFolder } from '../program/support/program.js'
import { arbitraryNowUs, arbitraryQuestion, arbitraryRecords } from '../support/arbitrary.js'
import { createFakeClock } from '../support/clock.js'
import { appendAll, ask, openEngine } from '../support/engine.js'
import { createModelFiles, type ModelFiles } from '../support/model-files.js'
import { oddMetadata } from '../support/odd-values.js'
import { NINE_AND_OWN } from '../support/own-source.js'
import { edge, invocation, type TestRecord } from '../support/records.js'
import { runs } from '../support/runs.js'
import { onEachTarget } from './on-targets.js'
import { expectedColumns, storedColumns } from './stored-fields.js'

const LOOKS_AGAIN =
  'that breaks off while an insert is under way looks for that, though it was not there at the beginning'

const RUNS = runs(20)
const NOW_US = Date.UTC(2026, 10, 20, 10) * 1000
const SOURCES: readonly SourceName[] = ['edge_logs', 'function_edge_logs', 'postgrest_logs']

/** Opens an embedded engine on a disk and waits until the rows are recovered. */
async function onDisk(files: Files, options: Partial<ArrowEngineOptions> = {}) {
  const engine = openEngine({ disk: { directory: 'data', files, release: async () => {} }, ...options })
  await engine.recover()
  return engine
}

/** Returns a disk on which an embedded engine has stored, and perhaps sealed, records. */
async function kept(records: readonly TestRecord[], { sealRows, seal = false }: { sealRows?: number; seal?: boolean }) {
  const files = createModelFiles()
  const engine = await onDisk(files, { sealRows })
  await appendAll(engine, records, 7)
  if (seal) await engine.seal()
  await engine.close()
  return files.restart()
}

const numbered = (from: number, to: number): TestRecord[] =>
  Array.from({ length: to - from }, (_, i) => edge({ id: `${from + i}`, timestampUs: NOW_US - ((from + i) % 3) }))

onEachTarget('an export to %s', (target) => {
  beforeEach(() => target().clear(SOURCES))

  /** Exports the rows of a disk. Returns the output, and whether the export was complete. */
  async function run(files: Files, server: Server = target().servers[0]!, nowUs = NOW_US, throughUs?: number) {
    const said: string[] = []
    const tell = (text: string) => said.push(text)
    const report = { print: tell, log: tell, clock: createFakeClock(nowUs) }
    const { location } = target()
    const hiddenThroughUs = () => throughUs!
    const limits = throughUs === undefined ? undefined : { newestHiddenUs: hiddenThroughUs, hiddenThroughUs }
    const isWhole = await exportRows({
      files,
      directory: 'data',
      server,
      location,
      timing: { settleMs: 1 },
      limits,
      ...report,
    })
    return { isWhole, said }
  }

  const select = (sql: string) => target().servers[0]!.select(sql)

  async function counts(): Promise<number[]> {
    const { database } = target().location
    const found = SOURCES.map((source) => select(`SELECT count() FROM ${database}.${source}`))
    return (await Promise.all(found)).map(([row]) => Number(row![0]))
  }

  /** Returns the ids of edge requests from logs.all, newest first. */
  async function ids(nowUs = NOW_US): Promise<string[]> {
    const engine = await target().open()
    const rows = await ask(engine, 'logs.all', { project: 'a' }, nowUs)
    await engine.close()
    return rows.map((row) => row.id as string)
  }

  const expectedIds = (records: readonly TestRecord[]) =>
    records
      .map((record, i) => ({ ...record, i }))
      .sort((a, b) => b.timestampUs - a.timestampUs || b.i - a.i)
      .map(({ id }) => id)

  it.each([true, false])('leaves out rows past their limit, also when it is repeated (sealed: %s)', async (seal) => {
    const records = Array.from({ length: 30 }, (_, i) => edge({ id: `${i}`, timestampUs: NOW_US - i }))
    const files = await kept(records, { seal })
    const names = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `${from + i}`)
    expect((await run(files, undefined, NOW_US, NOW_US - 10)).said.at(-1)).toContain(
      '10 rows exported, 0 already there',
    )
    expect(await ids()).toEqual(names(0, 10))
    // Fewer rows are left than are on the server, and some of them are missing there.
    expect((await run(files, undefined, NOW_US, NOW_US - 12)).isWhole).toBe(true)
    expect(await ids()).toEqual(names(0, 12))
    await run(files, undefined, NOW_US, NOW_US - 5)
    expect(await ids()).toEqual(names(0, 12))
    await run(files)
    expect(await ids()).toEqual(names(0, 30))
  })

  it(
    'gives the same answers as the data directory',
    () =>
      fc.assert(
        fc.asyncProperty(
          arbitraryNowUs.chain((nowUs) =>
            fc.record({
              nowUs: fc.constant(nowUs),
              records: arbitraryRecords(nowUs, 80),
              questions: fc.array(arbitraryQuestion(nowUs), { minLength: 8, maxLength: 8 }),
            }),
          ),
          fc.record({ sealRows: fc.integer({ min: 1, max: 60 }), seal: fc.boolean() }),
          async ({ nowUs, records, questions }, how) => {
            await target().clear(SOURCES)
            const files = await kept(records, how)
            const { isWhole } = await run(files, undefined, nowUs)
            expect(isWhole).toBe(true)
            const of = (source: SourceName) => records.filter((record) => record.source === source).length
            expect(await counts()).toEqual(SOURCES.map(of))
            const embedded = await onDisk(files)
            const engine = await target().open()
            for (const { endpoint, params } of questions) {
              const times = numbersBehind(endpoint, records, params, nowUs)
              const expected = await ask(embedded, endpoint, params, nowUs)
              expectRows(await ask(engine, endpoint, params, nowUs), expected, times)
            }
            await embedded.close()
            await engine.close()
          },
        ),
        { numRuns: RUNS },
      ),
    300_000 + RUNS * 10_000,
  )

  it.each([
    ['journals', {}],
    ['segments', { seal: true }],
    ['segments and journals', { sealRows: 60 }],
  ])('brings declared fields from %s, and tells which values are only in the metadata', async (_, how) => {
    const records = NINE_AND_OWN.flatMap((source) =>
      oddMetadata(source).map((metadata, i) => ({ ...edge({ id: `${i}`, metadata }), source })),
    )
    await target().clear()
    await run(await kept(records, how))
    for (const source of NINE_AND_OWN) {
      const expected = records.filter((record) => record.source === source)
      expect(await storedColumns(target(), source)).toEqual(
        new Map(expected.map((record) => [record.id, expectedColumns(record)])),
      )
    }
    await target().clear()
  })

  it('sets all bits of rows that were stored before fields had columns', async () => {
    const files = createModelFiles()
    const packed = gunzipSync(readFileSync(new URL('../fixtures/directory-4ef8db6.json.gz', import.meta.url)))
    const old = Object.entries(JSON.parse(packed.toString()) as Record<string, string>)
    for (const [path, base64] of old) files.put(path, Buffer.from(base64, 'base64'))
    await target().clear()
    await run(files)
    let rows = 0
    for (const source of SOURCE_NAMES) {
      const table = quotedTable(target().location, source)
      const names = Object.keys(expectedColumns({ ...edge(), source }))
      for (const [metadata, ...values] of await select(`SELECT ${['metadata', ...names].join(', ')} FROM ${table}`)) {
        const record = { ...edge({ metadata: String(metadata) }), source }
        const stored = Object.fromEntries(values.map((value, i) => [names[i], value]))
        expect(stored).toEqual(expectedColumns(record, false))
        rows++
      }
    }
    expect(rows).toBeGreaterThan(1_000)
    await target().clear()
  })

  it('leaves the data directory as it is', async () => {
    const files = await kept(numbered(0, 50), { sealRows: 20 })
    const before = await contents(files)
    expect(before.filter((line) => line.includes('/hot.arrow')).length).toBeGreaterThan(0)
    expect(before.filter((line) => line.startsWith('journal/')).length).toBe(1)
    await run(files)
    expect(await contents(files)).toEqual(before)
  })

  it('sends what is there no second time, and what has come since', async () => {
    const files = await kept([...numbered(0, 50), invocation()], { sealRows: 20 })
    expect((await run(files)).said).toEqual([
      '51 rows exported, 0 already there (in total edge_logs 50, function_edge_logs 1)\n',
    ])
    expect((await run(files)).said).toEqual([
      '0 rows exported, 51 already there (in total edge_logs 50, function_edge_logs 1)\n',
    ])
    // The journal grows without being sealed.
    const engine = await onDisk(files)
    await appendAll(engine, numbered(50, 53), 2)
    await engine.close()
    expect((await run(files)).said).toEqual([
      '3 rows exported, 51 already there (in total edge_logs 53, function_edge_logs 1)\n',
    ])
    expect(await ids()).toEqual(expectedIds(numbered(0, 53)))
  })

  it.each([
    ['before the server has anything of it', false, 4],
    ['when the server has all of it, and has not said so', true, 2],
  ])('that breaks off in the middle goes on where it was: %s', async (_, isTaken, times) => {
    const records = numbered(0, 60)
    const files = await kept(records, { sealRows: 14 })
    for (let time = 0; time < times; time++) {
      const { server, broken } = breaking(target().servers[0]!, 1, isTaken)
      const ended = run(files, server).then(() => 'whole')
      expect(await Promise.race([ended, broken])).toBe('broken off')
    }
    await run(files)
    expect(await counts()).toEqual([60, 0, 0])
    expect(await ids()).toEqual(expectedIds(records))
  })

  it(LOOKS_AGAIN, async () => {
    const records = numbered(0, 60)
    const files = await kept(records, { sealRows: 14 })
    const { server: hanging, broken, late } = breaking(target().servers[0]!, 1, false)
    await Promise.race([run(files, hanging), broken])
    const server: Server = {
      ...target().servers[0]!,
      async select(sql, options) {
        const rows = await target().servers[0]!.select(sql, options)
        if (sql.includes('GROUP BY batch, arrived')) await late()
        return rows
      },
    }
    await run(files, server)
    expect(await counts()).toEqual([60, 0, 0])
    expect(await ids()).toEqual(expectedIds(records))
  })

  it('tries again where the server fails, and brings each row once', async () => {
    const records = numbered(0, 60)
    const files = await kept(records, { sealRows: 14 })
    const { said } = await run(files, failing(target().servers[0]!))
    expect(said[0]).toMatch(/^rows cannot be sent to ClickHouse: fails at times\. Sending is retried/)
    expect(said[1]).toBe('rows are sent to ClickHouse again')
    expect(said.at(-1)).toBe('60 rows exported, 0 already there (in total edge_logs 60)\n')
    expect(await counts()).toEqual([60, 0, 0])
    expect(await ids()).toEqual(expectedIds(records))
  })

  it('refuses rows that were exported from a journal and are sealed now, until they are removed', async () => {
    const files = await kept(numbered(0, 5), {})
    await run(files)
    const engine = await onDisk(files)
    await appendAll(engine, numbered(5, 8))
    await engine.seal()
    await engine.close()
    const refusal = await run(files).catch((error) => error)
    expect(refusal.code).toBe('exported_before')
    expect(refusal.message).toMatch(
      new RegExp(
        '^Rows of edge_logs were exported from the journal of head 1 and have been sealed since: ' +
          'exporting again would duplicate them\\. Delete them on (the server|each shard), then export again: ' +
          'ALTER TABLE `logweir`\\.`edge_logs\\w*` DELETE WHERE ',
      ),
    )
    expect(await counts()).toEqual([5, 0, 0])
    const [statement] = /ALTER TABLE.*$/.exec(refusal.message)!
    for (const server of target().servers) await server.command(statement)
    await until(async () => (await counts())[0] === 0)
    await run(files)
    expect(await ids()).toEqual(expectedIds(numbered(0, 8)))
  })

  it('takes rows of another directory for others, whatever the numbers of their heads', async () => {
    const one = await kept(numbered(0, 5), {})
    const other = await kept(numbered(5, 10), { seal: true })
    await run(one)
    await run(other)
    await run(one)
    expect((await ids()).sort()).toEqual(expectedIds(numbered(0, 10)).sort())
  })

  it('tells of a damaged segment, and brings the others', async () => {
    const files = await kept(numbered(0, 40), { sealRows: 14 })
    const paths = (await contents(files)).map((line) => line.split(' ')[0]!)
    const cold = paths.find((path) => path.endsWith('cold.arrow'))!
    files.put(cold, files.peek(cold)!.fill(0, 600, 640))
    const hot = paths.filter((path) => path.endsWith('hot.arrow'))[1]!
    files.put(hot, files.peek(hot)!.subarray(0, -1))
    const { isWhole, said } = await run(files)
    expect(isWhole).toBe(false)
    const of = (path: string) => path.slice(0, path.lastIndexOf('/'))
    for (const path of [cold, hot]) {
      expect(said).toContainEqual(
        expect.stringMatching(`^data/${of(path)} cannot be read, and its rows are not exported: .* is damaged: `),
      )
    }
    expect(said.at(-1)).toBe('12 rows exported, 0 already there (in total edge_logs 12)\n')
    expect(await counts()).toEqual([12, 0, 0])
  })

  it('says which rows the server may remove at once', async () => {
    const old = numbered(0, 3).map((record) => ({ ...record, timestampUs: NOW_US - 91 * 86_400e6 }))
    const files = await kept([...old, ...numbered(3, 5)], { seal: true })
    const { said } = await run(files)
    expect(said[0]).toMatch(/^3 rows are older than 90 days: /)
  })

  it.each([
    ['the package', async () => undefined],
    ['the executable', async () => [await executable()]],
  ])('is a command of %s, whose last line counts what it has brought', async (_, find) => {
    const command = await find()
    const dataDir = temporaryFolder()
    const service = await serve(['--data-dir', dataDir], { environment: { LOGWEIR_IN_MEMORY: '0' } })
    const lines = Array.from({ length: 500 }, (_, i) => `{"source":"edge_logs","project":"a","id":"${i}"}\n`)
    service.child.stdin!.end(`${lines.join('')}{"source":"auth_logs"}\n`)
    await service.waitForStderr(/standard input ended: 501 rows accepted/)
    service.child.kill('SIGTERM')
    await service.exit
    const { cluster } = target().location
    const flags = cluster === undefined ? [] : ['--clickhouse-cluster', cluster]
    for (const [exported, there] of [
      [501, 0],
      [0, 501],
    ]) {
      const to = ['export', '--to', 'clickhouse', '--data-dir', dataDir, '--clickhouse-url', target().url, ...flags]
      const { code, stdout, stderr } = await runProgram(to, { command })
      expect({ code, stdout: stdout.toString(), stderr }).toEqual({
        code: 0,
        stdout: `${exported} rows exported, ${there} already there (in total edge_logs 500, auth_logs 1)\n`,
        stderr: '',
      })
    }
    expect((await ids(Date.now() * 1000)).slice(0, 3)).toEqual(['499', '498', '497'])
    await target().clear(['auth_logs'])
  })

  it('says what is missing where there are no tables', async () => {
    const files = await kept(numbered(0, 3), {})
    const location = { ...target().location, database: 'nowhere' }
    const report = { print: () => {}, log: () => {}, clock: createFakeClock(NOW_US) }
    const server = target().servers[0]!
    await expect(exportRows({ files, directory: 'data', server, location, ...report })).rejects.toThrow(
      '(logweir schema clickhouse --apply creates the tables)',
    )
  })
})

/** Returns the paths and bytes of all files. */
async function contents(files: ModelFiles, directory = ''): Promise<string[]> {
  const found: string[] = []
  for (const name of (await files.list(directory)).sort()) {
    const path = directory === '' ? name : `${directory}/${name}`
    if (/\.(json|log|arrow)$/.test(name)) found.push(`${path} ${files.peek(path)!.toString('base64')}`)
    else found.push(...(await contents(files, path)))
  }
  return found
}

/**
 * Wraps a server. The process ends at the insert after `after` other inserts, before or (`isTaken`) after the server
 * stored the insert. `late` delivers the insert that was under way.
 */
function breaking(server: Server, after: number, isTaken: boolean) {
  let inserts = 0
  let breakOff = (_: string) => {}
  let late = async () => {}
  const broken = new Promise<string>((resolve) => {
    breakOff = resolve
  })
  const insert: Server['insert'] = async (...given) => {
    const isLast = inserts++ >= after
    if (!isLast || isTaken) await server.insert(...given)
    if (!isLast) return
    late = () => server.insert(...given)
    breakOff('broken off')
    // No process waits for this request any more.
    await new Promise(() => {})
  }
  return { server: { ...server, insert }, broken, late: () => late() }
}

/** Wraps a server: every second insert fails, alternately before and after the rows were stored. */
function failing(server: Server): Server {
  let inserts = 0
  return {
    ...server,
    async insert(...given) {
      inserts++
      if (inserts % 4 !== 1) await server.insert(...given)
      if (inserts % 2 === 1) throw new ServerError(new Error('fails at times'))
    },
  }
}

async function until(passes: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000
  while (!(await passes())) {
    if (performance.now() > deadline) throw new Error('not within 30 s')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
