import type { AskedDeletion, CountedDeletion } from '../common/deletions.js'
import type { SourceName } from '../common/sources.js'
import type { Engine, RunOptions } from '../engine/engine.js'
import { count, equals } from '../plan/builder.js'
import type { Plan } from '../plan/plan.js'
import { readCondition } from './condition.js'
import { sourcesOfAsked } from './deletions.js'

/** Counts the rows that a deletion would delete now, one source after the other. Rejects as `run` does. */
export async function countRows(
  asked: AskedDeletion,
  { run }: Pick<Engine, 'run'>,
  options: RunOptions,
): Promise<CountedDeletion> {
  // All plans come first: a fault of the condition must not depend on the rows.
  const plans = sourcesOfAsked(asked).map((source) => ({ source, plan: countPlan(asked, source) }))
  const sources: { source: SourceName; rows: number }[] = []
  for (const { source, plan } of plans) {
    for await (const { rows } of await run(plan, options)) {
      if (rows !== 0) sources.push({ source, rows: rows as number })
    }
  }
  return { project: asked.project, rows: sources.reduce((sum, { rows }) => sum + rows, 0), sources }
}

function countPlan({ project, startUs, endUs, where: text }: AskedDeletion, source: SourceName): Plan {
  const where = text === undefined ? undefined : readCondition(text).of(source)
  const range = {
    fromUs: startUs ?? Number.NEGATIVE_INFINITY,
    throughUs: endUs === undefined ? Number.POSITIVE_INFINITY : endUs - 1,
  }
  return [
    { op: 'scan', sources: [source], ...range },
    { op: 'filter', where: equals('project', project) },
    ...(where === undefined ? [] : [{ op: 'filter' as const, where }]),
    { op: 'group', keys: [], aggregates: [{ name: 'rows', value: count() }] },
  ]
}
