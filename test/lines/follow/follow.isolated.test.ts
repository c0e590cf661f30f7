import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/base/time/clock.js'
import { readLinesConfig } from '../../../src/lines/lines-config.js'
import { queryLines } from '../../../src/lines/query-lines.js'
import { below, mulberry32, type Random } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'

interface Line {
  /** Seconds since the epoch. */
  ts: number
  k: string
  v: number
}

/** Writes lines to files of some lines each, since the lines of a file are read at once. Returns the paths. */
function filesOf(lines: readonly object[], lengthOf = (from: number) => 1 + (from % 7)): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'logweir-follow-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const paths: string[] = []
  for (let from = 0; from < lines.length; ) {
    const path = join(folder, `${from}.ndjson`)
    const some = lines.slice(from, from + lengthOf(from))
    writeFileSync(path, some.map((line) => `${JSON.stringify(line)}\n`).join(''))
    paths.push(path)
    from += some.length
  }
  return paths
}

/** Runs a query over files. Returns the printed rows, and the warnings. */
async function ask(sql: string, paths: readonly string[], ...flags: string[]) {
  let text = ''
  const told: string[] = []
  const out = {
    write: async (more: string | Uint8Array) => void (text += typeof more === 'string' ? more : Buffer.from(more)),
    terminal: undefined,
  }
  const log = (message: string) => void told.push(message)
  await queryLines(readLinesConfig([sql, ...paths, ...flags], {}), { clock: systemClock, log, out, screen: undefined })
  const rows = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  return { rows, told }
}

const START = 1_796_000_000
const LATE_S = 20

/** Lines of some minutes, each at most {@link LATE_S} behind an earlier line. */
function shuffled(random: Random, count: number): Line[] {
  let now = START
  return Array.from({ length: count }, () => {
    now += below(random, 3)
    return { ts: now - below(random, LATE_S + 1), k: `k${below(random, 4)}`, v: below(random, 100) }
  })
}

const QUERIES = [
  'select timestamp_trunc(timestamp, minute) as t, k, count(*) as n, sum(v) as s from lines group by t, k',
  'select k, timestamp_trunc(timestamp, second) as t, max(v) as m from lines where v > 50 group by t, k',
  'select timestamp_trunc(timestamp, second) as s, timestamp_trunc(timestamp, minute) as t, count(*) as n ' +
    'from lines group by s, t having n > 1 order by n desc',
  'select timestamp_trunc(timestamp, hour) as t, count(distinct k) as n from lines group by t',
  'select t, n + 1 as more from (select timestamp_trunc(timestamp, minute) as t, count(*) as n from lines group by t)',
  'select date(timestamp) as t, count(*) as n from lines group by t',
]

const texts = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort()

describe('logweir lines --follow', () => {
  const seed = testSeed()

  it.each(QUERIES)(`prints each bucket once, as the batch does, seed ${seed}: %s`, async (sql) => {
    const random = mulberry32(seed)
    for (let run = 0; run < runs(50); run++) {
      const lines = filesOf(shuffled(random, 1 + below(random, 300)))
      const batch = await ask(sql, lines)
      const followed = await ask(sql, lines, '--follow', '--late', `${LATE_S}s`)
      expect(texts(followed.rows), `run ${run}`).toEqual(texts(batch.rows))
      expect(followed.told).toEqual([])
    }
  })

  it('prints buckets in the order of time, those without a time last, and tells late lines', async () => {
    const lines = [{ ts: START }, { v: 1 }, { ts: START + 60 }, { ts: START + 180 }, { ts: START + 1 }, { ts: 'no' }]
    const sql = 'select timestamp_trunc(timestamp, minute) as t, count(*) as n from lines group by t'
    const { rows, told } = await ask(sql, filesOf(lines), '--follow', '--late', '5s')
    const minute = Math.floor(START / 60) * 60
    const at = (minutes: number) => (minute + 60 * minutes) * 1e6
    expect(rows).toEqual([
      { t: at(0), n: 1 },
      { t: at(1), n: 1 },
      { t: at(3), n: 1 },
      { t: null, n: 2 },
    ])
    expect(told).toEqual([
      '1 line without a timestamp: the value is no time.',
      '1 line left out: their bucket of time was printed before. See --late.',
    ])
  })

  it.each([
    'select k, count(*) as n from lines group by k',
    'select count(*) as n from lines',
    'select v from lines order by v desc limit 3',
    'select timestamp_trunc(timestamp, minute) as t, count(*) as n from lines group by t order by n desc limit 2',
    'select max(n) as m from (select timestamp_trunc(timestamp, minute) as t, count(*) as n from lines group by t)',
  ])(`prints the answer of any other query at the end, seed ${seed}: %s`, async (sql) => {
    // The lines of a single file are read before the first look at the clock.
    const lines = filesOf(shuffled(mulberry32(seed), 500), () => 500)
    const [batch, followed] = [await ask(sql, lines), await ask(sql, lines, '--follow')]
    expect(texts(followed.rows)).toEqual(texts(batch.rows))
  })

  it('prints rows as they are read', async () => {
    const { rows } = await ask('select v from lines where v > 1', filesOf([{ v: 1 }, { v: 2 }, { v: 3 }]), '--follow')
    expect(rows).toEqual([{ v: 2 }, { v: 3 }])
  })
})
