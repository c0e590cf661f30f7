import type { Clock } from '../../base/clock.js'
import type { MemoryShare } from '../../base/memory-budget.js'
import { type Call, columnsOf } from '../../endpoints/endpoint.js'
import type { Engine, ScanStats } from '../../engine/engine.js'
import type { AnswerColumn, Row } from '../../plan/answer.js'
import type { Plan } from '../../plan/plan.js'
import type { Measured } from '../reply/server-timing.js'

/** The outcome of one run: its encoded rows, and when it read the time (the clock's monotonic milliseconds). */
export interface Computed<Encoded> {
  encoded: Encoded
  plan: Plan
  columns: readonly AnswerColumn[]
  atMs: number
  measured: Measured
}

/**
 * Runs a call and encodes its rows; cached and uncached answers are both computed here. The time is read before the
 * plan is made, so that the age of an answer is never understated. Rejects with the reason of `signal` once it is
 * aborted, and with the errors of engine and plan. The scan statistics of a client's SQL are left out: they depend on
 * rows of other projects.
 */
export async function compute<Encoded>(
  { engine, clock }: { engine: Pick<Engine, 'run'>; clock: Clock },
  call: Call,
  { signal, memory }: { signal: AbortSignal; memory: MemoryShare },
  encode: (rows: AsyncIterable<Row>, columns: readonly AnswerColumn[]) => Promise<Encoded>,
): Promise<Computed<Encoded>> {
  if (call.load !== undefined) await call.load()
  const atMs = clock.monotonicMs()
  const plan = call.plan(clock.nowUs())
  const columns = columnsOf(call, plan)
  const measured: Measured = { ms: 0 }
  const onScanStats = call.isClientSql ? undefined : (work: ScanStats) => void (measured.work = work)
  const rows = await engine.run(plan, { signal, memory, onScanStats })
  const encoded = await encode(call.computation?.rows(rows, signal) ?? rows, columns)
  measured.ms = clock.monotonicMs() - atMs
  return { encoded, plan, columns, atMs, measured }
}
