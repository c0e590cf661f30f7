import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DAY_US } from '../../src/base/units.js'
import { acceptSources, allSourceNames, SOURCE_NAMES } from '../../src/common/sources.js'
import { openDataDirectory } from '../../src/engine/disk/directory/open.js'
import { createDiskFiles } from '../../src/engine/disk/files/files.js'
import type { Engine } from '../../src/engine/engine.js'
import { readSql } from '../../src/sql/read-sql.js'
import { createFakeClock } from '../support/clock.js'
import { appendAll, ask, openEngine, readAll } from '../support/engine.js'
import { addPathColumns } from '../support/path-columns.js'
import { edge, type TestRecord } from '../support/records.js'

// The process is this file's own: other files would see its sources.
const LONGEST = 'n'.repeat(63)
const OWN = ['constructor', LONGEST]
acceptSources(OWN)

const NOW_US = 20_778 * DAY_US
/** Rows of own sources, and the same rows of one of the nine. */
const RECORDS: readonly TestRecord[] = [...OWN, 'pgbouncer_logs'].flatMap((source) =>
  Array.from({ length: 60 }, (_, i) => ({
    ...edge({
      id: `row ${i}`,
      timestampUs: NOW_US - DAY_US + i * (DAY_US / 100),
      project: i % 2 === 0 ? 'a' : 'b',
      event_message: `message ${i}`,
      metadata: { status: i % 3 === 0 ? 404 : 200, request: { path: `/${i % 4}` } },
    }),
    source,
  })),
)

const QUERIES = [
  'select id, event_message, metadata from SOURCE order by id',
  'select status, count(*) as n from SOURCE group by status order by n',
  'select path, count(*) as n from SOURCE as t cross join unnest(t.metadata) as m cross join unnest(m.request) as r ' +
    'where status = 404 group by path order by path',
]
/** The class of a row has its own test: it follows from the fields of own sources. */
const ENDPOINTS = [['logs.explore'], ['logs.histogram', { by: 'nothing' }], ['logs.fields']] as const

/** Expects that the rows of own sources are answered as those of one of the nine. */
async function expectAnswers(engine: Engine): Promise<void> {
  const answersOf = async (source: string) => {
    const answers: unknown[] = []
    for (const query of QUERIES)
      answers.push(await readAll(await engine.run(readSql(query.replace('SOURCE', source)).plan({}, NOW_US))))
    const start = new Date((NOW_US - DAY_US) / 1000).toISOString()
    for (const [endpoint, params] of ENDPOINTS)
      answers.push(await ask(engine, endpoint, { project: 'a', source, start, ...params }, NOW_US))
    return answers
  }
  const expected = await answersOf('pgbouncer_logs')
  expect(expected.every((rows) => (rows as unknown[]).length > 0)).toBe(true)
  for (const source of OWN) expect(await answersOf(source)).toEqual(expected)
}

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logweir-own-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** Opens the directory, appends records, and recovers the rows that were there before. */
async function open(records: readonly TestRecord[]) {
  const engine = openEngine({ disk: await openDataDirectory(root), clock: createFakeClock(NOW_US), sealRows: 25 })
  await engine.recover()
  await appendAll(engine, records, 5)
  return engine
}

describe('an engine', () => {
  it('answers for own sources as for the nine, in memory', async () => {
    const engine = openEngine({ clock: createFakeClock(NOW_US), sealRows: 25 })
    await appendAll(engine, RECORDS, 5)
    await expectAnswers(engine)
    expect(engine.stats().map(({ source }) => source)).toEqual([...SOURCE_NAMES, ...OWN])
    await engine.close()
  })

  it('does on disk, after a restart, and with path columns', async () => {
    const first = await open(RECORDS)
    await expectAnswers(first)
    await first.close()
    const second = await open([])
    await expectAnswers(second)
    await second.seal()
    await expectAnswers(second)
    await second.close()
    await addPathColumns(createDiskFiles(root))
    expect(readdirSync(join(root, 'segments', LONGEST)).length).toBeGreaterThan(0)
    const third = await open([])
    await expectAnswers(third)
    await third.close()
  })
})

describe('SQL', () => {
  it('knows own sources, in any case, and lists them for an unknown one', () => {
    expect(allSourceNames()).toEqual([...SOURCE_NAMES, ...OWN])
    expect(() => readSql(`select id from ${LONGEST.toUpperCase()}`).plan({}, NOW_US)).not.toThrow()
    expect(() => readSql('select id from nginx').plan({}, NOW_US)).toThrow(/no source nginx\..*constructor/s)
  })
})
