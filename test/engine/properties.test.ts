import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GIB } from '../../src/base/units.js'
import type { ArrowEngine, ArrowEngineOptions } from '../../src/engine/store/engine.js'
import { expectRows } from '../oracle/compare.js'
import { numbersBehind, oracle, type PlainRow } from '../oracle/oracle.js'
import { arbitraryNowUs, arbitraryQuestionOfAny, arbitraryRecords, type Question } from '../support/arbitrary.js'
import { createFakeClock } from '../support/clock.js'
import { appendAll, ask, askLater, openEngine } from '../support/engine.js'
import { createModelFiles } from '../support/model-files.js'
import { mulberry32 } from '../support/random.js'
import { invocation, type TestRecord } from '../support/records.js'
import { runs } from '../support/runs.js'

const RUNS = runs(100)
const TIMEOUT_MS = 300_000 + RUNS * 1_000

/** A step of a run. The steps are executed in sequence on an engine. */
type Step =
  | { do: 'append'; records: readonly TestRecord[]; batchRows: number }
  | { do: 'seal' }
  | { do: 'ask'; question: Question; nowUs: number; late: boolean }

function arbitraryStep(nowUs: number): fc.Arbitrary<Step> {
  const append = fc.tuple(arbitraryRecords(nowUs, 40), fc.integer({ min: 1, max: 40 }))
  const question = fc.tuple(arbitraryQuestionOfAny(nowUs), fc.constantFrom(0, 0, 1, 60_000_000, -1), fc.boolean())
  return fc.oneof(
    { weight: 4, arbitrary: append.map(([records, batchRows]): Step => ({ do: 'append', records, batchRows })) },
    { weight: 1, arbitrary: fc.constant<Step>({ do: 'seal' }) },
    {
      weight: 3,
      arbitrary: question.map(([given, later, late]): Step => {
        return { do: 'ask', question: given, nowUs: nowUs + later, late }
      }),
    },
  )
}

const arbitraryLimits = fc.record({
  sealRows: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
  sealBytes: fc.option(fc.integer({ min: 500, max: 20_000 }), { nil: undefined }),
  partialCacheBytes: fc.constantFrom(undefined, undefined, 0, 2_000),
})

/** Memory limit: large, or so small that columns are evicted at once. */
const arbitraryRowsLimit = fc.constantFrom(GIB, 1)

const arbitraryRun = arbitraryNowUs.chain((nowUs) =>
  fc.record({
    nowUs: fc.constant(nowUs),
    limits: arbitraryLimits,
    steps: fc.array(arbitraryStep(nowUs), { maxLength: 16, size: 'max' }),
    last: fc.array(arbitraryQuestionOfAny(nowUs), { minLength: 6, maxLength: 6 }),
  }),
)

/** Compares an answer with the oracle's answer to a question about the records at that time. */
function judge(rows: PlainRow[], { endpoint, params }: Question, records: readonly TestRecord[], nowUs: number): void {
  expectRows(rows, oracle(endpoint, records, params, nowUs), numbersBehind(endpoint, records, params, nowUs))
}

/**
 * Engines that run in sequence on the same disk. Each engine recovers the rows of the last engine, which was not
 * closed.
 */
function successors(limits: Partial<ArrowEngineOptions>) {
  let files = createModelFiles()
  const open = async () => {
    const engine = openEngine({ ...limits, disk: { directory: 'data', files, release: async () => {} } })
    await engine.recover()
    return engine
  }
  return {
    open,
    next() {
      files = files.restart()
      return open()
    },
  }
}

/** Executes the steps. Returns the records stored at the end, and the comparisons that were deferred until then. */
async function execute(engine: ArrowEngine, steps: readonly Step[]) {
  const records: TestRecord[] = []
  const judgements: (() => Promise<void>)[] = []
  for (const step of steps) {
    if (step.do === 'append') {
      await appendAll(engine, step.records, step.batchRows)
      records.push(...step.records)
    } else if (step.do === 'seal') {
      await engine.seal()
    } else {
      const { question, nowUs, late } = step
      const stored = records.slice()
      const read = await askLater(engine, question.endpoint, question.params, nowUs)
      const answer = late ? undefined : await read()
      const judgeAnswer = async () => judge(answer ?? (await read()), question, stored, nowUs)
      late ? judgements.push(judgeAnswer) : await judgeAnswer()
    }
  }
  return { records, judgements }
}

describe('the embedded engine', () => {
  it(
    'answers as the oracle does, at every step, and an answer is of the state that it was asked of',
    () =>
      fc.assert(
        fc.asyncProperty(arbitraryRun, async ({ nowUs, limits, steps, last }) => {
          const engine = openEngine({ clock: createFakeClock(nowUs), ...limits })
          try {
            const { records, judgements } = await execute(engine, steps)
            for (const judgeLate of judgements) await judgeLate()
            // The second time from the cache of partial results.
            for (const question of [...last, ...last]) {
              judge(await ask(engine, question.endpoint, question.params, nowUs), question, records, nowUs)
            }
          } finally {
            await engine.close()
          }
        }),
        { numRuns: RUNS },
      ),
    TIMEOUT_MS,
  )

  it(
    'answers as the oracle does from its disk too, one engine after the other',
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(arbitraryRun, { minLength: 2, maxLength: 3 }),
          arbitraryRowsLimit,
          async (runs, rowsLimitBytes) => {
            const { nowUs, limits } = runs[0]!
            const { open, next } = successors({ clock: createFakeClock(nowUs), ...limits, rowsLimitBytes })
            let engine = await open()
            const records: TestRecord[] = []
            for (const { steps, last } of runs) {
              const changes = steps.filter((step) => step.do !== 'ask')
              records.push(...(await execute(engine, changes)).records)
              engine = await next()
              for (const { endpoint, params } of last) {
                judge(await ask(engine, endpoint, params, nowUs), { endpoint, params }, records, nowUs)
              }
            }
          },
        ),
        { numRuns: Math.ceil(RUNS / 10) },
      ),
    TIMEOUT_MS,
  )

  it(
    'answers alike however its rows were split into batches and segments',
    () =>
      fc.assert(
        fc.asyncProperty(
          arbitraryNowUs.chain((nowUs) =>
            fc.tuple(fc.constant(nowUs), arbitraryRecords(nowUs, 120), arbitraryQuestionOfAny(nowUs)),
          ),
          fc.array(fc.tuple(fc.integer({ min: 1, max: 120 }), arbitraryLimits, fc.boolean()), {
            minLength: 2,
            maxLength: 3,
          }),
          async ([nowUs, records, { endpoint, params }], ways) => {
            const answers: PlainRow[][] = []
            for (const [batchRows, limits, seal] of ways) {
              const engine = openEngine({ clock: createFakeClock(nowUs), ...limits })
              await appendAll(engine, records, batchRows)
              if (seal) await engine.seal()
              answers.push(await ask(engine, endpoint, params, nowUs))
              await engine.close()
            }
            const times = numbersBehind(endpoint, records, params, nowUs)
            for (const answer of answers.slice(1)) expectRows(answer, answers[0]!, times)
          },
        ),
        { numRuns: RUNS },
      ),
    TIMEOUT_MS,
  )

  it(
    'keeps the percentiles and the average of many values within their error',
    () =>
      fc.assert(
        fc.asyncProperty(
          arbitraryTimes,
          fc.integer({ min: 1, max: 4_000 }),
          fc.nat(3),
          async (times, batchRows, seals) => {
            const records = times.map((time) =>
              invocation({ timestampUs: NOW_US, metadata: `{"execution_time_ms":${time}}` }),
            )
            const engine = openEngine({ clock: createFakeClock(NOW_US) })
            const part = Math.ceil(records.length / (seals + 1))
            for (let start = 0; start < records.length; start += part) {
              await appendAll(engine, records.slice(start, start + part), batchRows + 50)
              if (seals > 0) await engine.seal()
            }
            const question = { endpoint: 'functions.invocation-stats', params: { project: 'a' } }
            const rows = await ask(engine, question.endpoint, question.params, NOW_US)
            expect(rows.length).toBe(1)
            judge(rows, question, records, NOW_US)
            await engine.close()
          },
        ),
        { numRuns: Math.ceil(RUNS / 6) },
      ),
    TIMEOUT_MS,
  )
})

const NOW_US = Date.UTC(2026, 10, 20, 10, 30) * 1000

/** 1 to 4,000 execution times of one distribution, often about 100, the limit of exact quantiles. */
const arbitraryTimes = fc
  .tuple(
    fc.oneof(fc.integer({ min: 95, max: 105 }), fc.integer({ min: 1, max: 4_000 })),
    fc.constantFrom<(uniform: number) => number>(
      (u) => Math.floor(u * 100),
      (u) => u * 1e6,
      (u) => Math.exp(12 * u - 4),
      (u) => (u < 0.97 ? 1 : 1_000 + u),
      (u) => (u < 0.5 ? -1e16 : 1e16) + Math.floor(u * 1_000),
      (u) => Math.round(1 / (1.0001 - u)),
      () => 42.5,
    ),
    fc.integer(),
  )
  .map(([length, distribution, seed]) => {
    const random = mulberry32(seed)
    return Array.from({ length }, () => distribution(random()))
  })
