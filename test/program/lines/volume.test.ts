import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { expectRows } from '../../lines/expect-rows.js'
import { LINE_QUERIES } from '../../lines/queries/all.js'
import { linesOf } from '../../lines/queries/oracle.js'
import { sampleLines } from '../../lines/sample.js'
import { partOf, runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { compressFrame } from '../../support/zstd-frames.js'
import { run, temporaryFolder } from '../support/program.js'
import { startScript } from '../support/shell.js'

/** More than the 8 MiB from which on threads read the lines, also at a tenth. */
const LINES = runs(1_000_000)
const SEED = testSeed()
const TIMEOUT_MS = 180_000 + LINES * 2

/** Parses NDJSON line by line: all rows may be longer than a text may be. */
function parsed(ndjson: Buffer): unknown[] {
  const rows: unknown[] = []
  for (let from = 0; from < ndjson.length; ) {
    const end = ndjson.indexOf('\n', from)
    rows.push(JSON.parse(ndjson.toString('utf8', from, end)))
    from = end + 1
  }
  return rows
}

/** Runs a query over files to the end, and returns the output. */
async function printed(sql: string, paths: readonly string[]): Promise<Buffer> {
  const { code, stdout, stderr } = await run(['lines', sql, ...paths])
  expect({ sql, code, stderr }).toEqual({ sql, code: 0, stderr: expect.not.stringContaining('left out') })
  return stdout
}

describe(`${LINES.toLocaleString('en-US')} lines, seed ${SEED}`, () => {
  it('have the rows of JSON.parse', { timeout: TIMEOUT_MS }, async () => {
    const texts = sampleLines(LINES, SEED, { hasOddTimes: true })
    const path = join(temporaryFolder(), 'lines.ndjson')
    writeFileSync(path, '')
    for (let from = 0; from < LINES; from += 50_000)
      writeFileSync(path, `${texts.slice(from, from + 50_000).join('\n')}\n`, { flag: 'a' })
    expect(readFileSync(path).length).toBeGreaterThan(16 * MIB)
    const lines = linesOf(texts)
    const queries = LINE_QUERIES.filter(({ rows }) => rows)
    for (const { sql, rows } of partOf(queries, 24, SEED))
      expectRows(sql, parsed(await printed(sql, [path])), rows!(lines))
  })

  const QUERIES = [
    'select seq, level, timestamp from lines where ok',
    'select line from lines where seq in (3, 77, 500000) or status = 500 and ms > 995',
    'select level, count(*) as n, sum(ms) as s, string_agg(path) as p from lines group by level order by level',
    'select path, array_agg(seq limit 7) as a, count(distinct user.id) as b from lines group by path order by path',
    'select seq from lines order by ms desc, seq limit 100',
    'select seq from lines where level = "warn" limit 20 offset 5',
    'select seq from lines where level = "warn" order by ms limit 2000',
  ]

  it('have the same rows from files, pipes and compressed files', { timeout: TIMEOUT_MS }, async () => {
    const folder = temporaryFolder()
    const write = (name: string, bytes: string | Uint8Array) => {
      writeFileSync(join(folder, name), bytes)
      return join(folder, name)
    }
    const count = Math.min(LINES, 60_000)
    const texts = sampleLines(count, SEED)
    const half = Math.floor(count / 2) + 1
    const parts = [texts.slice(0, half), texts.slice(half)].map((part) => `${part.join('\n')}\n`)
    const whole = write('lines.ndjson', parts.join(''))
    const files = parts.map((part, i) => write(`part${i}.ndjson`, part))
    const gz = write('lines.gz', Buffer.concat(parts.map((part) => gzipSync(part, { level: 1 }))))
    const zst = write('lines.zst', Buffer.concat(parts.map((part) => compressFrame(Buffer.from(part)))))
    for (const [i, sql] of partOf(QUERIES, 2, SEED).entries()) {
      const expected = await printed(sql, [whole])
      for (const paths of [files, [gz], [zst]])
        expect([sql, paths, (await printed(sql, paths)).equals(expected)]).toEqual([sql, paths, true])
      for (const input of partOf([`cat ${whole}`, `cat ${gz}`, `cat ${zst}`], 3, i)) {
        const output = join(folder, 'output')
        const script = startScript(`${input} | logweir lines '${sql}' >${output}; echo "exit $?"`)
        await script.ended
        expect([script.stdout(), script.stderr()]).toEqual(['exit 0\n', ''])
        expect([sql, input, readFileSync(output).equals(expected)]).toEqual([sql, input, true])
      }
    }
  })

  it('have the same rows in the order of one thread', { timeout: TIMEOUT_MS }, async () => {
    const folder = temporaryFolder()
    const texts = sampleLines(LINES, SEED)
    const chunk = Math.ceil(texts.length / 10)
    // The rows of parts below 8 MiB, which no thread reads.
    const rows: Buffer[] = []
    const sql = QUERIES[0]!
    const size = 8 * MIB
    const paths: string[] = []
    for (let from = 0, i = 0; from < texts.length; i++) {
      let bytes = 0
      const start = from
      while (from < texts.length && bytes < size - 10_000 && from - start < chunk)
        bytes += Buffer.byteLength(texts[from++]!) + 1
      const path = join(folder, `part${i}.ndjson`)
      writeFileSync(path, `${texts.slice(start, from).join('\n')}\n`)
      paths.push(path)
      rows.push(await printed(sql, [path]))
    }
    const expected = Buffer.concat(rows)
    for (let time = 0; time < 3; time++) expect((await printed(sql, paths)).equals(expected)).toBe(true)
  })
})
