import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hotColumns } from '../../src/common/columns.js'
import { MAX_ENDPOINT_ROWS } from '../../src/common/limits.js'
import { SOURCE_NAMES } from '../../src/common/sources.js'
import { TIME_UNITS } from '../../src/plan/values/times.js'
import { FUNCTION_NAMES } from '../../src/sql/compile/functions.js'
import { readSql } from '../../src/sql/read-sql.js'
import { readFrontMatter } from '../../src/user-endpoints/front-matter.js'
import { MAX_TTL_S } from '../../src/user-endpoints/validate.js'
import { documentAt, tablesOf, wordsIn } from '../docs/documents.js'
import { EXAMPLES, EXAMPLES_FOLDER } from './examples.js'

const own = documentAt('docs/own-endpoints.md')!
const sql = documentAt('docs/sql.md')!

/** The rows of the table of a page with `head` as the first head, as texts of the cells. */
const rowsOf = (page: typeof own, head: string) => tablesOf(page).find(({ heads }) => heads[0] === head)!.rows

describe('docs/own-endpoints.md', () => {
  it('shows an example, and names all', () => {
    const files = EXAMPLES.map(({ file }) => file)
    expect(readdirSync(EXAMPLES_FOLDER).sort()).toEqual(files.toSorted())
    const blocks = own.blocks.map(({ text }) => text)
    expect(blocks).toContain(readFileSync(new URL('postgres.errors.sql', EXAMPLES_FOLDER), 'utf8'))
    expect(files.filter((file) => !own.words.includes(file))).toEqual([])
  })

  it('names lines that are front matter, with their limits and defaults', () => {
    const rows = rowsOf(own, 'line')
    expect(rows.length).toBe(7)
    for (const [cell] of rows) {
      const line = wordsIn(cell!)[0]!.replace('NAME: TYPE', 'a: text')
      const read = readFrontMatter(`${line}\nselect 1`)
      expect([line, read]).not.toEqual([line, readFrontMatter('select 1')])
    }
    expect(own.text).toContain(`up to ${MAX_ENDPOINT_ROWS}`)
    expect(own.text).toContain(`up to ${MAX_TTL_S / 3600}h`)
    const { maxRows, cache } = readFrontMatter('select 1')
    expect(
      rows.map((cells) => cells.at(-1)).filter((cell) => cell === String(maxRows) || cell === `\`${cache}\``),
    ).toEqual(['1000', '`disabled`'])
  })

  it('names the types of parameters', () => {
    const types = rowsOf(own, 'type').map(([cell]) => wordsIn(cell!)[0]!)
    for (const type of types) expect(readFrontMatter(`-- param a: ${type}\nselect 1`).params.has('a')).toBe(true)
    expect(types.map((type) => type.split(' ')[0])).toEqual(['text', 'word', 'number', 'timestamp', 'pattern'])
  })
})

/** Returns the error code of a query. Undefined if there is a plan. */
function codeOf(text: string): string | undefined {
  try {
    readSql(text).plan({}, 0)
    return undefined
  } catch (error) {
    return (error as { code: string }).code
  }
}

/** An unknown function is wrong. Other syntax is not covered. */
const REFUSALS = ['invalid_sql', 'unsupported_sql']

describe('docs/sql.md', () => {
  it('names the declared fields of each source', () => {
    const shown = rowsOf(sql, 'source').flatMap(([sources, fields]) =>
      wordsIn(sources!).map((source) => [source, wordsIn(fields!)] as const),
    )
    const declared = SOURCE_NAMES.map(
      (source) => [source, [...new Set(hotColumns(source).map(({ path }) => path.join('.')))]] as const,
    )
    const sorted = (all: readonly (readonly [string, readonly string[]])[]) =>
      Object.fromEntries(
        all.filter(([, fields]) => fields.length > 0).map(([source, fields]) => [source, fields.toSorted()]),
      )
    expect(sorted(shown)).toEqual(sorted(declared))
  })

  it('names every function and aggregate, and no other', () => {
    const cells = rowsOf(sql, 'functions').map((row) => row[1]!)
    const words = cells.flatMap(wordsIn).map((word) => /^\w+/.exec(word)![0])
    const types = ['string', 'int64', 'float64', 'bool', 'timestamp', 'datetime', 'date']
    const named = new Set(words.filter((word) => FUNCTION_NAMES.includes(word)))
    expect(words.filter((word) => !named.has(word) && !types.includes(word))).toEqual([])
    expect(FUNCTION_NAMES.filter((name) => !named.has(name))).toEqual([])
  })

  it('names the units of time', () => {
    expect(TIME_UNITS.filter((unit) => !sql.words.includes(unit))).toEqual([])
  })

  it('says what to write instead, which is accepted, of what is refused', () => {
    const rows = rowsOf(sql, 'in PostgreSQL or ClickHouse')
    expect(rows.length).toBeGreaterThan(10)
    for (const [foreign, here] of rows) {
      for (const habit of wordsIn(foreign!))
        expect(REFUSALS, habit).toContain(codeOf(`select ${timed(habit)} from edge_logs`))
      for (const instead of wordsIn(here!).filter((word) => word !== 'group by')) {
        expect([instead, codeOf(`select ${timed(instead)} from edge_logs`)]).toEqual([instead, undefined])
      }
    }
  })
})

/** An interval alone is no value. */
const timed = (expression: string) => (expression.startsWith('interval') ? `(timestamp - ${expression})` : expression)
