import { expect } from 'vitest'
import { createRowJson } from '../../src/http/formats/json.js'
import type { Row } from '../../src/plan/answer.js'
import { limited } from '../../src/plan/limited.js'
import { ofProject } from '../../src/plan/of-project.js'
import type { Plan } from '../../src/plan/plan.js'
import { readSql } from '../../src/sql/read-sql.js'
import type { SqlCase } from './cases/case.js'

/** The answer to a text: the JSON text of each row, or the error. */
export type SqlAnswer = { rows: readonly string[] } | { error: { code: string | undefined; message: string } }

/** The part of an engine that runs plans. */
type Runs = { run(plan: Plan): Promise<AsyncIterable<Row>> }

const MAX_ROWS = 1000

/** Compiles the text of a case, and runs the plan on an engine, over the rows of `project` if given. */
export async function answerOf(engine: Runs, { sql, nowUs }: SqlCase, project?: string): Promise<SqlAnswer> {
  try {
    const plan = limited(readSql(sql).plan({}, nowUs), MAX_ROWS)
    const rowJson = createRowJson()
    const rows: string[] = []
    const answer = await engine.run(project === undefined ? plan : ofProject(plan, project))
    for await (const row of answer) rows.push(rowJson(row))
    return { rows }
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    if (code === undefined) throw error
    return { error: { code, message } }
  }
}

/** The project of the records of a case. Undefined if the records have many projects. */
export const projectOf = ({ records, ofManyProjects }: SqlCase): string | undefined =>
  ofManyProjects ? undefined : (records[0]?.project ?? undefined)

/** Expects the rows, or the error, of a case. The order of rows counts only if the text has ORDER BY. */
export function expectCase({ sql, rows, error }: SqlCase, answer: SqlAnswer): void {
  const isOrdered = /\border\s+by\b/i.test(sql)
  const inOrder = (list: readonly string[]) => (isOrdered ? list : list.toSorted())
  const expected = error === undefined ? { rows: inOrder(rows!) } : { error }
  expect('rows' in answer ? { rows: inOrder(answer.rows) } : answer).toEqual(expected)
}
