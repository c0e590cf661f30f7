import { LogweirError } from '../../base/errors.js'
import type { MemoryShare } from '../../base/memory/memory-budget.js'
import type { Clock } from '../../base/time/clock.js'
import { MILLISECOND_US } from '../../base/units.js'
import type { UsageQuery } from '../../common/usage.js'
import { type BoundCall, type Call, columnsOf } from '../../endpoints/endpoint.js'
import { warningsHeader } from '../../endpoints/name-warning.js'
import type { NameChecks } from '../../endpoints/unknown-names.js'
import type { Engine, ScanStats, ViewNote } from '../../engine/engine.js'
import type { AnswerColumn, Row } from '../../plan/answer.js'
import type { Plan } from '../../plan/plan.js'
import type { Measured } from '../reply/server-timing.js'
import { isOutdated } from './current-rows.js'

/** The notes that clients get about a query besides its rows, as values of headers. */
export interface QueryNotes {
  /** The header of the warnings about the query. Undefined if there is no warning. */
  warnings: string | undefined
  /** The header about the views that were read. Undefined if there is nothing to be known. */
  viewNotes: string | undefined
}

/** The outcome of a run: the encoded rows, and when the run read the time (the clock's monotonic milliseconds). */
export interface Computed<Encoded> extends QueryNotes {
  encoded: Encoded
  plan: Plan
  columns: readonly AnswerColumn[]
  atMs: number
  measured: Measured
}

/** The engine that runs plans, and the checks of the names in plans. */
export interface ComputeContext {
  engine: Pick<Engine, 'run' | 'columnPaths'> & Partial<Pick<Engine, 'usage'>>
  clock: Clock
  nameChecks: NameChecks
}

/**
 * Runs a call and encodes the rows. Cached and uncached answers are both computed here. The time is read before the
 * plan is made, so that the age of an answer is never understated. Starts again if rows of the answer are deleted.
 * Rejects with the reason of `signal` once aborted,
 * and with the errors of engine and plan. The scan statistics of a client's SQL are left out, because the statistics
 * depend on rows of other projects.
 */
export async function compute<Encoded>(
  context: ComputeContext,
  call: Call,
  running: Running,
  encode: Encode<Encoded>,
): Promise<Computed<Encoded>> {
  for (;;) {
    try {
      return await computeOnce(context, call, running, encode)
    } catch (error) {
      if (!isOutdated(error)) throw error
    }
  }
}

interface Running {
  signal: AbortSignal
  memory: MemoryShare
}

type Encode<Encoded> = (rows: AsyncIterable<Row>, columns: readonly AnswerColumn[]) => Promise<Encoded>

async function computeOnce<Encoded>(
  { engine, clock, nameChecks }: ComputeContext,
  call: Call,
  { signal, memory }: Running,
  encode: Encode<Encoded>,
): Promise<Computed<Encoded>> {
  if (call.load !== undefined) await call.load()
  const atMs = clock.monotonicMs()
  const plan = call.plan(clock.nowUs())
  const columns = columnsOf(call, plan)
  const measured: Measured = { ms: 0 }
  const onScanStats = call.isClientSql ? undefined : (work: ScanStats) => void (measured.work = work)
  const notes = new Set<string>()
  const onViewNote = (note: ViewNote) => void notes.add(textOfNote(note))
  const rows = await engine.run(plan, { signal, memory, onScanStats, onViewNote })
  const run = (other: Plan, signal: AbortSignal) => engine.run(other, { signal, memory })
  const { columnPaths } = engine
  const usage = (query: UsageQuery) => (engine.usage ?? noUsage)(query, { signal, memory })
  const reader = { plan, columnPaths, run: (other: Plan) => run(other, signal), usage }
  const encoded = await encode(call.computation?.rows(rows, signal, reader) ?? rows, columns)
  const ranMs = clock.monotonicMs() - atMs
  const found = call.checksNames && (await nameChecks.warnings({ plan, project: projectOf(call), ranMs, signal, run }))
  measured.ms = clock.monotonicMs() - atMs
  const viewNotes = notes.size === 0 ? undefined : [...notes].sort().join(', ')
  const warnings = found ? warningsHeader(found) : undefined
  return { encoded, plan, columns, warnings, viewNotes, atMs, measured }
}

const noUsage: Engine['usage'] = async () => {
  throw new LogweirError('unsupported_by_engine', 'This engine does not count the rows of projects.')
}

function textOfNote(note: ViewNote): string {
  if (note === 'partial') return note
  return 'buildingFromUs' in note
    ? `building; from=${iso(note.buildingFromUs)}`
    : `more; before=${iso(note.moreBeforeUs)}`
}

const iso = (us: number): string => new Date(us / MILLISECOND_US).toISOString()

/** The project that a call is bound to. */
const projectOf = (call: Call | BoundCall) => ('project' in call ? call.project : undefined)
