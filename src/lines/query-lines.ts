import { existsSync } from 'node:fs'
import { LogweirError } from '../base/errors.js'
import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import { memoryBytes } from '../base/memory/memory.js'
import type { Clock } from '../base/time/clock.js'
import { MIB } from '../base/units.js'
import { excerptOf } from '../client/caret.js'
import type { RowsOut } from '../client/output.js'
import { createRepaint, type Screen } from '../client/repaint.js'
import type { Row } from '../plan/answer.js'
import { type CompiledLines, compileLines } from './execute/compile.js'
import { bucketToFollow, followAnswer, followBuckets } from './follow/follow-lines.js'
import type { LinesConfig } from './lines-config.js'
import { type LinesOutput, runLines } from './run-lines.js'
import { createNameCheck, type NameCheck } from './scan/name-check.js'
import { createReport, type Report } from './scan/report.js'
import { formatOf, parsedRow, timesOf, writeRows, writeTable } from './write-lines.js'

/** The settings and streams of a query over lines. */
export interface LinesContext {
  clock: Clock
  log: Log
  out: RowsOut
  /** The terminal on which a table can be painted again. Undefined if there is none. */
  screen: Screen | undefined
  /** Ends the input when aborted. */
  stop?: AbortSignal | undefined
}

/** Groups and sorted rows take at most this share of the memory, and this many bytes. */
const MEMORY_SHARE = 1 / 8
const MOST_BYTES = 512 * MIB
/** Changes of groups that are followed are printed so often. */
const CHANGES_MS = 1_000

/**
 * Runs SQL over lines, and writes the rows. Tells at the end which lines were no rows. Throws `usage` if the SQL is
 * wrong, before anything is read; the errors of inputs and of the query; and EPIPE.
 */
export async function queryLines(config: LinesConfig, context: LinesContext): Promise<void> {
  const nowUs = context.clock.nowUs()
  const compiled = compile(config, nowUs, context.out)
  const report = createReport()
  const names = createNameCheck(compiled.plan)
  try {
    await answer({ config, compiled, nowUs, report, names, context })
  } finally {
    for (const sentence of [...report.sentences(), ...names.warnings()]) context.log(sentence, { level: 'warn' })
  }
}

function compile({ sql, paths }: LinesConfig, nowUs: number, { errorColumns }: RowsOut): CompiledLines {
  try {
    const query = compileLines(sql, nowUs)
    if (paths.includes(undefined)) query.refuseSeveralReads()
    return query
  } catch (error) {
    if (!(error instanceof LogweirError)) throw error
    if (existsSync(sql)) throw usageError(`The query comes before the files: logweir lines 'select …' ${sql}`)
    throw usageError(error.message + excerptOf(error.message, sql, errorColumns))
  }
}

interface Query {
  config: LinesConfig
  compiled: CompiledLines
  nowUs: number
  report: Report
  names: NameCheck
  context: LinesContext
}

async function answer({ config, compiled, nowUs, report, names, context }: Query): Promise<void> {
  const { plan, stage, last, isStreamed } = compiled
  const { out, screen, stop } = context
  const format = formatOf(config, out)
  const limitBytes = Math.min(MOST_BYTES, memoryBytes() * MEMORY_SHARE)
  const run = { source: { paths: config.paths, timeField: config.timeField, stop }, limitBytes, report, names }
  const print = (rows: AsyncIterable<LinesOutput>, comesInParts: boolean) =>
    format === 'table' ? writeTable(rows, plan, config, out, comesInParts) : writeRows(rows, plan, format, out)
  if (config.follow && !isStreamed && stage !== undefined && last !== undefined) {
    const following = { ...run, last, stage, lateUs: config.late }
    const bucket = bucketToFollow(following)
    if (bucket !== undefined) return print(outputsOf(followBuckets(following, bucket)), true)
    const answers = followAnswer(following, CHANGES_MS)
    if (format !== 'table' || screen === undefined) return print(outputsOf(changesOf(answers)), true)
    const repaint = createRepaint(out.write, { ...screen, times: timesOf(plan) }, config.columns)
    for await (const rows of answers) await repaint.paint(rows.map(parsedRow))
    return
  }
  const inThreads =
    stage !== undefined && format !== 'arrow'
      ? { sql: config.sql, nowUs, limitBytes, format: format === 'table' ? 'ndjson' : format }
      : undefined
  await print(runLines({ ...run, plan, inThreads }), isStreamed)
}

async function* outputsOf(rows: AsyncIterable<Row>): AsyncGenerator<LinesOutput, void> {
  for await (const row of rows) yield { row }
}

/** Yields the rows that the answer before did not have, or not as often. */
async function* changesOf(answers: AsyncIterable<readonly Row[]>): AsyncGenerator<Row, void> {
  let before = new Map<string, number>()
  for await (const rows of answers) {
    const counts = new Map<string, number>()
    for (const row of rows) {
      const text = JSON.stringify(parsedRow(row))
      const count = (counts.get(text) ?? 0) + 1
      counts.set(text, count)
      if (count > (before.get(text) ?? 0)) yield row
    }
    before = counts
  }
}
