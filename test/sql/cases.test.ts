import { afterAll, describe, expect, it } from 'vitest'
import { FUNCTION_NAMES } from '../../src/sql/compile/functions.js'
import { expectCase } from './answer.js'
import { SQL_CASES } from './cases/index.js'
import { SQL_IMPLEMENTATIONS } from './implementations.js'

for (const { name, answer, can, hasOwnMessages, close } of SQL_IMPLEMENTATIONS) {
  describe(name, () => {
    afterAll(close)
    for (const [theme, cases] of Object.entries(SQL_CASES)) {
      describe(theme, () => {
        for (const one of cases.filter(can)) {
          it(one.name, async () => {
            const given = await answer(one)
            if (hasOwnMessages && one.error !== undefined)
              expect(given, one.sql).toHaveProperty('error.code', one.error.code)
            else expectCase(one, given)
          })
        }
      })
    }
  })
}

describe('the cases', () => {
  it('have names of their own in each theme', () => {
    for (const cases of Object.values(SQL_CASES)) {
      const names = cases.map(({ name }) => name)
      expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
    }
  })

  it('call every function', () => {
    const texts = Object.values(SQL_CASES)
      .flat()
      .filter(({ error }) => error === undefined)
      .map(({ sql }) => sql.toLowerCase())
      .join(' ')
    expect(FUNCTION_NAMES.filter((name) => !texts.includes(`${name}(`))).toEqual([])
  })

  it('have records of projects of their own', () => {
    const setOf = new Map<string, unknown>()
    for (const { records, ofManyProjects } of Object.values(SQL_CASES).flat()) {
      if (ofManyProjects) continue
      for (const { project } of records) {
        expect(setOf.get(project!) ?? records).toBe(records)
        setOf.set(project!, records)
      }
    }
  })
})
