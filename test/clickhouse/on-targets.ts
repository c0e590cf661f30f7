import { afterAll, beforeAll } from 'vitest'
import type { ClickHouseEngine } from '../../src/engine/clickhouse/engine.js'
import { appendAll } from '../support/engine.js'
import type { TestRecord } from '../support/records.js'
import { describeWhere } from './needs.js'
import { TARGETS, type Target } from './targets.js'

/** Registers a suite for each kind of target, with its name for `%s`; `target` returns the started one. */
export function onEachTarget(title: string, suite: (target: () => Target) => void): void {
  for (const { name, found, needed, why, start } of TARGETS) {
    describeWhere(found, needed, why, title.replace('%s', name), () => {
      let target: Target | undefined
      beforeAll(async () => {
        target = await start()
      })
      afterAll(() => target?.stop())
      suite(() => target!)
    })
  }
}

/** Calls `work` with an engine over a target that has only these records; removes them afterwards. */
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
