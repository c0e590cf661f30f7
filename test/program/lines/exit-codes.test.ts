import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { tableFromIPC } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { run, start, temporaryFolder } from '../support/program.js'

/** A file of two lines, and one that is none. */
function sample(): string {
  const path = join(temporaryFolder(), 'sample.ndjson')
  writeFileSync(path, '{"ts":1795168800,"a":1,"b":"x,y"}\n{"a":2,"b":"\\u001b[2J"}\n[]\n')
  return path
}

/** Runs `logweir lines`, and returns the exit code and the output as texts. */
async function lines(args: readonly string[], stdin: 'ignore' | 'pipe' = 'ignore') {
  const { code, stdout, stderr } = await run(['lines', ...args], { stdin })
  return [code, stdout.toString(), stderr]
}

const TOLD = 'logweir: 1 line left out: no JSON object.\n'

describe('wrong SQL', () => {
  it.each<[sql: string, error: RegExp]>([
    ['select\n  cout(*)\nfrom lines', /^logweir: .*cout.* \(line 2, column 3\)\n {2}cout\(\*\)\n {2}\^\n$/],
    ['selec a from lines', /^logweir: .* \(line 1, column 1\)\nselec a from lines\n\^\n$/],
    ['select a from edge_logs', /^logweir: There is no table edge_logs\. .* \(line 1, column 15\)\n.*\n {14}\^\n$/],
    ['select a from view.v', /^logweir: There is no table v\. .* \(line 1, column 15\)\n.*\n {14}\^\n$/],
    ['select @a from lines', /^logweir: The query has the parameter @a, .* \(line 1, column 8\)\n.*\n {7}\^\n$/],
    ["select regexp_contains(line, '(') from lines", /^logweir: .* \(line 1, column \d+\)\n.*\n +\^\n$/],
    [
      'select a from lines union all select 1',
      /^logweir: UNION ALL .* name a file\. \(line 1, column \d+\)\n.*\n *\^\n$/,
    ],
    [
      'with x as (select a from lines) select * from x',
      /^logweir: WITH .* name a file\. \(line 1, column 6\)\n.*\n {5}\^\n$/,
    ],
    [
      'select a from lines where a in (select 1)',
      /^logweir: IN \(select …\) .* name a file\. \(line 1, column \d+\)\n.*\n +\^\n$/,
    ],
  ])('ends with 2 before anything is read: %s', async (sql, error) => {
    // The standard input stays open, and a missing file would be an error of its own.
    const [code, text, told] = await lines([sql], 'pipe')
    expect([code, text, told]).toEqual([2, '', expect.stringMatching(error)])
    if (!/name a file/.test(told as string)) expect((await lines([sql, '/none/at/all']))[0]).toBe(2)
  })
})

describe('arguments', () => {
  it.each<[args: string[], error: string]>([
    [[], "logweir: which query? logweir lines 'select level, count(*) from lines group by level'"],
    [['select 1', '--projct', 'a'], 'logweir: unknown flag --projct'],
    [['select 1', '--format', 'xml'], 'logweir: --format: "xml" is not one of table, json, ndjson, csv, arrow.'],
    [['select 1', '--format', 'csv', '--columns', 'a'], 'logweir: --columns is for tables, not for --format csv.'],
    [['select a from lines', '--columns', 'z'], 'logweir: '],
  ])('that are wrong end with 2: %j', async (args, error) => {
    const [code, text, told] = await lines(args.length > 2 && args[1] === '--columns' ? [...args, sample()] : args)
    expect([code, text]).toEqual([2, ''])
    expect(told).toContain(error)
  })

  it('are read in each form', async () => {
    const path = sample()
    const expected = [0, '{"a":1}\n{"a":2}\n', TOLD]
    expect(await lines(['select a from lines', path])).toEqual(expected)
    expect(await lines([path, '--', 'select a from lines'])).toEqual(expected)
    expect(await lines([path, '--', 'select', 'a', 'from', 'lines', '--', 'a comment'])).toEqual(expected)
    expect(await lines(['-- a comment\nselect a from lines', path])).toEqual(expected)
    expect(await lines(['-- a comment\nselect a from lines', '--format', 'ndjson', path])).toEqual(expected)
    const query = join(temporaryFolder(), 'query.sql')
    writeFileSync(query, '-- a comment\nselect a\nfrom lines;\n')
    expect(await lines(['--sql-file', query, path])).toEqual(expected)
    const time = 'select a from lines where timestamp is not null'
    expect(await lines([time, path])).toEqual([0, '{"a":1}\n', TOLD])
    expect(await lines([time, path, '--time-field', 'a'])).toEqual(expected)
  })
})

describe('inputs that cannot be read', () => {
  it('end with 1 and the name', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'sub'))
    const [missing, sub, damaged] = ['missing', 'sub', 'damaged.gz'].map((name) => join(folder, name))
    writeFileSync(damaged!, gzipSync('{"a":1}\n').subarray(0, -1))
    for (const [path, error] of [
      [missing!, `logweir: cannot read ${missing}: ENOENT`],
      [sub!, `logweir: cannot read ${sub}: EISDIR`],
      [damaged!, `logweir: ${damaged} is a damaged gzip file, near byte `],
    ] as const)
      for (const [sql, rows] of [
        ['select a from lines', '{"a":1}\n{"a":2}\n'],
        ['select count(*) as n from lines', ''],
        ['select a from lines order by a limit 9', ''],
      ] as const) {
        const [code, text, told] = await lines([sql, sample(), path])
        expect([code, text]).toEqual([1, path === damaged && rows !== '' ? expect.stringContaining(rows) : rows])
        expect(told).toContain(error)
        expect(told).toContain(TOLD)
      }
  })

  it('are told if the standard input is damaged', async () => {
    const program = start(['lines', 'select count(*) from lines'], { stdin: 'pipe' })
    program.child.stdin!.end(gzipSync('{"a":1}\n').subarray(0, -1))
    expect(await program.exit).toBe(1)
    expect(program.stderrText()).toMatch(/^logweir: standard input is a damaged gzip file, near byte \d+: .*\.\n$/)
  })
})

describe('a row that fails the query', () => {
  it('ends with 1, and the rows before stay', async () => {
    const path = join(temporaryFolder(), 'rows.ndjson')
    writeFileSync(path, '{"a":"1"}\n{"a":"x"}\n')
    const [code, text, told] = await lines(['select cast(a as int64) as n from lines', path])
    expect([code, ['', '{"n":1}\n'].includes(text as string)]).toEqual([1, true])
    expect(told).toMatch(/^logweir: .*\n/)
  })
})

describe('formats', () => {
  const sql = 'select a, b from lines'

  it.each([
    ['ndjson', '{"a":1,"b":"x,y"}\n{"a":2,"b":"\\u001b[2J"}\n'],
    ['json', '{"result":[\n{"a":1,"b":"x,y"},\n{"a":2,"b":"\\u001b[2J"}\n]}\n'],
    ['csv', 'a,b\r\n1,"x,y"\r\n2,\u001b[2J\r\n'],
    ['table', 'a  b\n1  x,y\n2  \\u001b[2J\n'],
  ])('%s', async (format, expected) => {
    expect(await lines([sql, sample(), '--format', format])).toEqual([0, expected, TOLD])
  })

  it('arrow', async () => {
    const { code, stdout } = await run(['lines', sql, sample(), '--format', 'arrow'])
    expect(code).toBe(0)
    const table = tableFromIPC(stdout)
    expect(table.schema.names).toEqual(['a', 'b'])
    expect(table.numRows).toBe(2)
  })

  it('a table of chosen columns', async () => {
    expect(await lines([sql, sample(), '--columns', 'b'])).toEqual([0, 'b\nx,y\n\\u001b[2J\n', TOLD])
  })

  it.each([
    ['ndjson', ''],
    ['json', '{"result":[]}\n'],
    ['csv', 'a,b\r\n'],
    ['table', 'no rows\n'],
  ])('%s without rows', async (format, expected) => {
    expect(await lines([`${sql} where a = 3`, sample(), '--format', format])).toEqual([0, expected, TOLD])
  })
})
