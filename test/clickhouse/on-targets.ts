import { beforeAll } from 'vitest'
import type { ClickHouseEngine } from '../../src/engine/clickhouse/engine.js'
import { appendAll } from '../support/engine.js'
import type { TestRecord } from '../support/records.js'
import { describeWhere } from './needs.js'
import { TARGETS, type Target, type TargetKind } from './targets.js'

/** The targets of this process, by name. All test files of the process share the targets until the process ends. */
const running = new Map<string, Promise<Target>>()

function startOnce({ name, start }: TargetKind): Promise<Target> {
  const target = running.get(name) ?? start()
  running.set(name, target)
  return target
}

/**
 * Registers a suite for each kind of target, with the name of the kind for `%s`. `target` returns the started target,
 * empty. `index` is the place of the kind among all kinds.
 */
export function onEachTarget(title: string, suite: (target: () => Target, index: number) => void): void {
  for (const [index, kind] of TARGETS.entries()) {
    const { name, found, needed, why } = kind
    describeWhere(found, needed, why, title.replace('%s', name), () => {
      let target: Target | undefined
      beforeAll(async () => {
        target = await startOnce(kind)
        await target.clear()
      })
      suite(() => target!, index)
    })
  }
}

/** Calls `work` with an engine over a target that has only the given records. Removes the records afterwards. */
export async function withRecords(
  target: Target,
  records: readonly TestRecord[],
  batchRows: number,
  work: (engine: ClickHouseEngine) => Promise<void>,
): Promise<void> {
  const engine = await target.open()
  try {
    await appendAll(engine, records, batchRows)
    await engine.settled()
    await work(engine)
  } finally {
    await engine.close()
    await target.clear(new Set(records.map(({ source }) => source)))
  }
}
