import type { Yielder } from '../../base/scheduling/time-slices.js'
import { computedFrame } from '../../engine/execute/expressions/computed-frame.js'
import type { Frame } from '../../engine/execute/expressions/frame.js'
import { frameOfGroups, statesOf } from '../../engine/execute/grouping/groups.js'
import type { FoundRow } from '../../engine/execute/ordering/output-columns.js'
import type { TopSink } from '../../engine/execute/ordering/sink.js'
import { createTop } from '../../engine/execute/ordering/top.js'
import { columnNames, type ScanStage } from '../../engine/execute/stages/stage.js'
import type { LineGroups } from './block-rows.js'
import type { BlockOutput } from './run-stage.js'

/** Collects the rows that a stage finds in blocks. */
export interface Collector {
  /** Adds the rows of the next block. */
  add(found: BlockOutput): Promise<void>
  /** Whether no later block changes the rows. */
  isComplete(): boolean
  /** Returns the rows of the stage over all blocks so far. Valid until the next block. */
  frame(): Promise<Frame>
}

/** The bound and the scheduling of a collector. */
interface CollectorOptions {
  /** The most bytes of sorted rows. */
  limitBytes: number
  yieldIfDue: Yielder
}

/** Creates a collector of a stage. `groups` are the groups of its runner, if the stage groups. */
export const createCollector = (
  stage: ScanStage,
  groups: LineGroups | undefined,
  options: CollectorOptions,
): Collector => (groups === undefined ? rowCollector(stage, options) : groupCollector(stage, groups))

const NO_KEYS = new Uint8Array(0)

function groupCollector({ sink }: ScanStage, { groups, aggregation }: LineGroups): Collector {
  if (sink.op !== 'group') throw new TypeError('Only a stage that groups has groups.')
  return {
    async add() {},
    isComplete: () => false,
    async frame() {
      if (sink.keys.length === 0 && groups.states.length === 0) statesOf(groups, NO_KEYS, 0, 0, aggregation)
      return frameOfGroups(groups, sink, aggregation)
    },
  }
}

function rowCollector(stage: ScanStage, { limitBytes, yieldIfDue }: CollectorOptions): Collector {
  const { keys, rows: most, offset, isReversed } = stage.sink as TopSink
  const names = columnNames(stage)
  const top = createTop(keys, most + offset, { limitBytes, meter() {} }, undefined)
  let batch = 0
  return {
    async add({ sorted = [] }) {
      for (const row of sorted)
        if (top.wants(row.keys, batch, row.row) && top.add({ ...row, batch })) await top.cut(yieldIfDue)
      batch++
    },
    isComplete: () => keys.length === 0 && top.isFull(),
    async frame() {
      await top.cut(yieldIfDue)
      const rows = top.rows().slice(offset)
      return frameOf(isReversed ? rows.reverse() : rows, names)
    },
  }
}

const frameOf = (rows: readonly FoundRow[], names: readonly string[]): Frame =>
  computedFrame(rows.length, new Map(names.map((name, i) => [name, rows.map(({ values }) => values[i])])))
