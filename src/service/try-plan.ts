import { createMetrics } from '../base/metrics.js'
import { systemClock } from '../base/time/clock.js'
import { MIB } from '../base/units.js'
import { createArrowEngine } from '../engine/store/engine.js'
import { createSealingThread } from '../engine/store/sealing/thread.js'
import type { Plan } from '../plan/plan.js'

async function* noGroups() {}

/** Runs a plan on an engine without rows. Rejects if no engine can run the plan. */
export async function tryPlan(plan: Plan): Promise<void> {
  const engine = createArrowEngine({
    clock: systemClock,
    metrics: createMetrics(),
    rowsLimitBytes: MIB,
    sealer: createSealingThread(() => {}),
    readView: noGroups,
  })
  await engine.run(plan).finally(engine.close)
}
