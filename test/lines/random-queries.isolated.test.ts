import { expect, it } from 'vitest'
import { GIB } from '../../src/base/units.js'
import { compileLines } from '../../src/lines/execute/compile.js'
import { runLines } from '../../src/lines/run-lines.js'
import { createNameCheck } from '../../src/lines/scan/name-check.js'
import { createReport } from '../../src/lines/scan/report.js'
import type { Row } from '../../src/plan/answer.js'
import { call, column, type Expression, literal } from '../../src/plan/expression.js'
import type { Plan } from '../../src/plan/plan.js'
import { LINES } from '../../src/sql/compile/lines.js'
import { runPlan } from '../oracle/plan/run.js'
import { below, mulberry32, type Random } from '../support/random.js'
import { type Answer, compareRows, randomRecords } from '../support/random-plans.js'
import { randomSql } from '../support/random-sql.js'
import type { TestRecord } from '../support/records.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { fileMaker, NOW_US } from './ask.js'

const QUERIES = runs(1_000)
const QUERIES_OF_A_FILE = 10

const SOURCES = /`?\b(?:function_edge_logs|edge_logs|postgres_logs|cloudflare\.logs\.prod|deno-relay-logs)\b`?/gi

/** The text with the names of lines. */
const withLines = (sql: string) =>
  sql
    .replace(SOURCES, LINES)
    .replace(/\bevent_message\b/gi, 'line')
    .replace(/\bmetadata\./gi, '')

/** Random records with the line as message and metadata. A line has no time, or the record's. */
function randomLines(random: Random): TestRecord[] {
  const records = randomRecords(random, below(random, 80), [LINES])
  return records.map((record) => {
    const fields = record.metadata.startsWith('{') ? record.metadata.slice(1) : '}'
    const time = random() < 0.8 ? `"timestamp":${record.timestampUs}` : '"none":0'
    const line = `{${time}${fields === '}' ? '' : ','}${fields}`
    return { ...record, event_message: line, metadata: line }
  })
}

/** The time of a line, as the oracle reads the time: null if the line has no such field. */
const KNOWN_TIME = call(
  'if',
  call('is_null', call('field', column('metadata'), literal('timestamp'))),
  literal(null),
  column('timestamp'),
)

/** The plan for the oracle, which knows no lines. */
function forOracle(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(forOracle)
  if (typeof part !== 'object' || part === null || Object.getPrototypeOf(part) !== Object.prototype) return part
  const { kind, fn } = part as Partial<Expression & { fn: string }>
  if (kind === 'call' && fn === 'known_time') return KNOWN_TIME
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, forOracle(value)]))
}

async function answerOf(plan: Plan, paths: readonly string[]): Promise<Answer> {
  const rows: Row[] = []
  try {
    const run = { plan, source: { paths, timeField: undefined }, inThreads: undefined, limitBytes: GIB }
    for await (const output of runLines({ ...run, report: createReport(), names: createNameCheck(plan) }))
      if ('row' in output) rows.push(output.row)
    return rows
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === undefined) throw error
    return { error: code }
  }
}

function compiled(sql: string): Plan | undefined {
  try {
    return compileLines(sql, NOW_US).plan
  } catch (error) {
    // Lines have no column metadata, and another *.
    if (['invalid_sql', 'unsupported_sql', 'too_much_memory'].includes((error as { code: string }).code))
      return undefined
    throw error
  }
}

/** Writes the lines to one to four files, each of which is a block. */
function filesOf(records: readonly TestRecord[], random: Random): string[] {
  const write = fileMaker()
  const files: string[][] = Array.from({ length: 1 + below(random, 4) }, () => [])
  for (const [i, { metadata }] of records.entries())
    files[Math.floor((i * files.length) / records.length)]!.push(metadata)
  return files.map((lines) => write(lines.join('\n')))
}

it('random queries over lines have the rows, or the error, that the oracle says', {
  timeout: 60_000 + QUERIES * 300,
}, async () => {
  const seed = testSeed()
  let answered = 0
  for (let run = 0; run < QUERIES / QUERIES_OF_A_FILE; run++) {
    const random = mulberry32(seed + run)
    const records = randomLines(random)
    const paths = filesOf(records, random)
    for (let i = 0; i < QUERIES_OF_A_FILE; i++) {
      const sql = withLines(randomSql(random))
      const plan = compiled(sql)
      if (plan === undefined) continue
      answered++
      try {
        compareRows(await answerOf(plan, paths), runPlan(forOracle(plan) as Plan, records), plan)
      } catch (error) {
        throw new Error(`seed ${seed + run}, query ${i}: ${sql}\n${(error as Error).stack}`, { cause: error })
      }
    }
  }
  expect(answered).toBeGreaterThan(QUERIES / 2)
})
