import type { MemoryBudget } from '../base/memory/memory-budget.js'
import type { Metrics } from '../base/metrics.js'
import type { Clock } from '../base/time/clock.js'
import type { Engine } from '../engine/engine.js'
import { overloaded } from '../http/query/slots.js'
import { callAfter } from '../http/query/waiting.js'
import type { Row } from '../plan/answer.js'
import type { Plan } from '../plan/plan.js'

/** The dependencies of the queries of rules. */
interface RuleQueriesOptions {
  engine: Pick<Engine, 'run'>
  memory: MemoryBudget
  clock: Clock
  metrics: Pick<Metrics, 'queriesRunning'>
  /** The longest run of a query, until its last row is read. */
  queryMs: number
}

/** The queries of alert rules. They take no slots of HTTP queries: the evaluator bounds how many run at once. */
export interface RuleQueries {
  /** Runs a plan within the time limit, and within the memory of all queries. */
  ask(plan: Plan): Promise<AsyncIterable<Row>>
  /** Cuts the queries that run. Called at a stop. */
  cut(): void
}

/** Creates the queries. */
export function createRuleQueries({
  engine,
  memory: budget,
  clock,
  metrics,
  queryMs,
}: RuleQueriesOptions): RuleQueries {
  const running = new Set<AbortController>()

  async function* rowsOf(plan: Plan): AsyncGenerator<Row, void> {
    const memory = budget.open()
    const controller = new AbortController()
    const { signal } = controller
    const stopClock = callAfter(clock, queryMs, () =>
      controller.abort(overloaded(`The query ran longer than ${queryMs / 1000} s.`)),
    )
    running.add(controller)
    metrics.queriesRunning.inc()
    try {
      for await (const row of await engine.run(plan, { signal, memory, keepsFewRows: true })) {
        signal.throwIfAborted()
        yield row
      }
    } finally {
      metrics.queriesRunning.dec()
      running.delete(controller)
      stopClock()
      memory.release()
    }
  }

  return {
    ask: async (plan) => rowsOf(plan),
    cut() {
      for (const controller of running) controller.abort(overloaded('The service stops.'))
    },
  }
}
