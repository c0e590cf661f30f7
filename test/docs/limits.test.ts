import { describe, expect, it } from 'vitest'
import { HTTP_STATUSES } from '../../src/http/reply/errors.js'
import { documentAt, documentOf, tablesOf, wordsIn } from './documents.js'
import { LIMITS } from './limits.js'

const HEADS = ['limit', 'value', 'beyond it', 'setting']
const PAGE = documentAt('docs/limits.md')!

/** The tables of the page, by the heading of their section. */
const TABLES = new Map(
  PAGE.text
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.split('\n')[0]!, tablesOf(documentOf(PAGE.path, section))] as const),
)

describe('docs/limits.md', () => {
  it('has a section for each kind of limit, with a table of the same form', () => {
    expect([...TABLES.keys()]).toEqual(Object.keys(LIMITS))
    for (const tables of TABLES.values()) expect(tables.map(({ heads }) => heads)).toEqual([HEADS])
  })

  it.each(Object.entries(LIMITS))('has the values of the code: %s', (section, limits) => {
    expect(TABLES.get(section)![0]!.rows.map(([limit, value]) => [limit, value])).toEqual(limits)
  })

  it('names the codes of errors that the service sends', () => {
    const cells = [...TABLES.values()].flatMap(([table]) => table!.rows.map(([, , beyond]) => beyond!))
    const answered = cells.filter((cell) => /^\d{3}/.test(cell))
    expect(answered.length).toBeGreaterThan(25)
    for (const cell of answered) {
      const status = HTTP_STATUSES.get(wordsIn(cell)[0]!)?.status
      expect([cell, String(status)]).toEqual([cell, cell.slice(0, 3)])
    }
  })
})
