import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readLinesConfig } from '../../src/lines/lines-config.js'

const read = (...args: string[]) => {
  const { sql, paths } = readLinesConfig(args, {})
  return { sql, paths }
}

describe('the query and the files', () => {
  it.each<[args: string[], sql: string, paths: (string | undefined)[]]>([
    [['select 1'], 'select 1', [undefined]],
    [['select 1', 'a', 'b'], 'select 1', ['a', 'b']],
    [['--', 'select', '1'], 'select 1', [undefined]],
    [['a', 'b', '--', 'select', '-1'], 'select -1', ['a', 'b']],
    [['--format', 'csv', 'a', '--', 'select 1 -- x'], 'select 1 -- x', ['a']],
    [['-- all\nselect 1', 'a'], '-- all\nselect 1', ['a']],
    [['-- all\nselect 1', '--format', 'csv', 'a'], '-- all\nselect 1', ['a']],
    [['--all\nselect 1'], '--all\nselect 1', [undefined]],
    [['- 1', 'a'], '- 1', ['a']],
    [['--format', 'csv', 'select 1', 'a'], 'select 1', ['a']],
    [['--time-field', 'at', 'select 1'], 'select 1', [undefined]],
    [['--time-field=a b', 'select 1'], 'select 1', [undefined]],
    [['select 1', '--'], 'select 1', [undefined]],
    [['select 1', 'a', '-'], 'select 1', ['a', undefined]],
  ])('of %j', (args, sql, paths) => expect(read(...args)).toEqual({ sql, paths }))

  it('may be in a file, and all words are files then', () => {
    const folder = mkdtempSync(join(tmpdir(), 'logweir-lines-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'query.sql')
    writeFileSync(path, '-- how many\nselect count(*) from lines\n')
    const sql = '-- how many\nselect count(*) from lines\n'
    expect(read('--sql-file', path)).toEqual({ sql, paths: [undefined] })
    expect(read('--sql-file', path, 'a', 'b')).toEqual({ sql, paths: ['a', 'b'] })
    expect(() => read('--sql-file', `${path}.none`)).toThrow(expect.objectContaining({ code: 'failed' }))
    expect(() => read('--sql-file', path, 'a', '--', 'select 1')).toThrow(/both given/)
  })

  it('come with settings', () => {
    const config = readLinesConfig(['--format', 'arrow', '--time-field', 'at', 'select 1', '--wide'], {})
    expect(config).toMatchObject({ format: 'arrow', timeField: 'at', wide: true, sql: 'select 1', paths: [undefined] })
  })

  it.each<[args: string[], message: RegExp]>([
    [[], /^which query\? logweir lines 'select level, count\(\*\) from lines group by level'$/],
    [['--format', 'csv'], /^which query\?/],
    [[' '], /^the text of the query is empty/],
    [['select 1', '--projct', 'a'], /^unknown flag --projct/],
    [['--time-feld', 'a', 'select 1'], /^unknown flag --time-feld\. Did you mean --time-field\?$/],
    [['-x', 'select 1'], /^unknown flag -x/],
    [['select 1', '--format', 'xml'], /^--format: "xml" is not one of table, json, ndjson, csv, arrow\.$/],
    [['select 1', '--format', 'csv', '--columns', 'a'], /^--columns is for tables/],
    [['select 1', '--format', 'arrow', '--columns', 'a'], /^--columns is for tables, not for --format arrow/],
    [['select 1', '--time-field', ''], /^--time-field/],
    [['select 1', '--time-field', 'a,b'], /^--time-field "a,b" is not allowed/],
  ])('are refused: %j', (args, message) => {
    const refused = () => readLinesConfig(args, {})
    expect(refused).toThrow(message)
    expect(refused).toThrow(expect.objectContaining({ code: 'usage' }))
  })
})
