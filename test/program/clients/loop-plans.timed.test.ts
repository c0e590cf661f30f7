import { expect, it } from 'vitest'
import { feedEdges } from '../support/feed.js'
import { expectFreeLoop, probeHealth } from '../support/health-probe.js'
import { type Served, serve } from '../support/program.js'
import { WORST_PLANS, type WorstPlan, worstPlansFolder, worstQuery } from '../support/worst-plans.js'

const ROWS = 300_000
const AT_ONCE = 4

it('O3: health is answered at once while four of the worst plans of a user run', async () => {
  const service = await serve(['--endpoints', worstPlansFolder()])
  await feedEdges(service, ROWS)
  for (let from = 0; from < WORST_PLANS.length; from += AT_ONCE) {
    const plans = WORST_PLANS.slice(from, from + AT_ONCE)
    await expectFreeLoop(() => probe(service, plans))
  }
}, 240_000)

/** Probes /health while plans run, each again and again. */
async function probe(service: Served, plans: readonly WorstPlan[]) {
  const outcomes = new Set<string>()
  const waits = await probeHealth(service.url, (isRunning) =>
    plans.map(async (plan) => {
      while (isRunning()) {
        const response = await service.get(worstQuery(plan))
        const { code = 'rows' } = (await response.json()) as { code?: string }
        outcomes.add(`${plan} ${response.status} ${code}`)
      }
    }),
  )
  console.log([...outcomes].join(', '))
  for (const outcome of outcomes) expect(outcome).toMatch(/ (200 rows|400 (too_many_groups|too_much_memory))$/)
  return waits
}
