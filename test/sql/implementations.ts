import type { ArrowEngine, ArrowEngineOptions } from '../../src/engine/store/engine.js'
import { createRowJson } from '../../src/http/formats/json.js'
import { answerValue } from '../../src/plan/answer.js'
import { readSql } from '../../src/sql/read-sql.js'
import { runSql } from '../oracle/sql/run.js'
import { appendAll, openEngine } from '../support/engine.js'
import type { TestRecord } from '../support/records.js'
import { answerOf, projectOf, type SqlAnswer } from './answer.js'
import type { SqlCase } from './cases/case.js'
import { ALL_RECORDS } from './cases/index.js'

/** An implementation that answers the cases, and whether the implementation can answer a case. */
export interface SqlImplementation {
  name: string
  answer(one: SqlCase): Promise<SqlAnswer>
  can(one: SqlCase): boolean
  /** The errors have other messages: only the codes count. */
  hasOwnMessages?: true
  close(): Promise<void>
}

type Records = readonly TestRecord[]

/** Engines that are filled once for each list of records, and answer several cases. */
function engines(options: Partial<ArrowEngineOptions>, fill: (engine: ArrowEngine, records: Records) => Promise<void>) {
  const filled = new Map<Records, Promise<ArrowEngine>>()
  const open = async (records: Records) => {
    const engine = openEngine(options)
    await fill(engine, records)
    return engine
  }
  return {
    of(records: Records): Promise<ArrowEngine> {
      const engine = filled.get(records) ?? open(records)
      filled.set(records, engine)
      return engine
    },
    async close() {
      for (const engine of filled.values()) await (await engine).close()
    },
  }
}

/** The records of a case alone, in memory, for a caller bound to no project. */
function unsealed(): SqlImplementation {
  const { of, close } = engines({}, appendAll)
  return {
    name: 'the embedded engine',
    can: () => true,
    answer: async (one) => answerOf(await of(one.records), one),
    close,
  }
}

/** The records of all cases in sealed segments, for a caller bound to the project of a case. */
function sealed(): SqlImplementation {
  const { of, close } = engines({ sealRows: 400 }, async (engine, records) => {
    await appendAll(engine, records, 100)
    await engine.seal()
  })
  return {
    name: 'the embedded engine, sealed, among records of other projects',
    can: (one) => !one.ofManyProjects,
    answer: async (one) => answerOf(await of(ALL_RECORDS), one, projectOf(one)),
    close,
  }
}

/** Whether our compiler takes the text of a case. */
function isCompiled({ sql, nowUs }: SqlCase): boolean {
  try {
    readSql(sql).plan({}, nowUs)
    return true
  } catch {
    return false
  }
}

/** The oracle, which compiles texts in another way. The parser of the oracle accepts some texts that ours refuses. */
const oracle: SqlImplementation = {
  name: 'the oracle of SQL',
  hasOwnMessages: true,
  can: (one) => one.notForOracle === undefined && (one.error === undefined || isCompiled(one)),
  close: async () => {},
  async answer({ sql, records, nowUs }) {
    try {
      const { outcome } = runSql(sql, records, { nowUs, maxRows: 1000 })
      const [code] = outcome.must
      if (code !== undefined) return { error: { code, message: '' } }
      const { columns, offset, limit } = outcome
      const rowJson = createRowJson()
      const rows = outcome.rows
        .slice(offset, offset + limit)
        .map((cells) => rowJson(Object.fromEntries(cells.map(({ value }, i) => [columns[i]!, answerValue(value)]))))
      return { rows }
    } catch (error) {
      const { code, message } = error as Error & { code?: string }
      if (code === undefined) throw error
      return { error: { code, message } }
    }
  },
}

/** All implementations that the cases are run with. Another implementation is a line here. */
export const SQL_IMPLEMENTATIONS: readonly SqlImplementation[] = [unsealed(), sealed(), oracle]
