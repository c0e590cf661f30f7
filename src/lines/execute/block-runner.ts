import type { Yielder } from '../../base/scheduling/time-slices.js'
import type { GroupSink } from '../../engine/execute/grouping/sink.js'
import type { TopSink } from '../../engine/execute/ordering/sink.js'
import type { ScanStage } from '../../engine/execute/stages/stage.js'
import type { Row } from '../../plan/answer.js'
import { partOfBlock, partsOfBlock } from '../scan/line-part.js'
import { type BlockScanner, createBlockScanner, type ScannedBlock } from '../scan/scan-block.js'
import type { LineCounts } from './block-result.js'
import { createLineGroups, type LineGroups, passingRows, type SortedRow, sortedRows } from './block-rows.js'
import { createRunContext } from './context.js'
import { kindOf } from './stages.js'

/** The rows of a block that a stage without groups has found: of an order, or all that pass. */
interface BlockRows extends LineCounts {
  /** The lines. Valid until the next call. */
  scanned: ScannedBlock
  sorted: readonly SortedRow[] | undefined
  /** Some at a time, to be read before the next call. */
  passing: AsyncIterable<readonly Row[]> | undefined
}

/** Runs a stage over blocks of lines, one after the other. */
export interface BlockRunner {
  scanner: BlockScanner
  /** The groups so far, if the stage groups. */
  groups: LineGroups | undefined
  /** Runs the stage over a block, which is copied at once. Call after the call before has ended. */
  run(block: Uint8Array): Promise<BlockRows>
}

/** The bound of a stage, and the use of its rows. */
export interface RunnerOptions {
  /** The most bytes of groups and of sorted rows. */
  limitBytes: number
  yieldIfDue: Yielder
  /** Returns the rows of a block that are read. By default all. */
  admit?: (block: ScannedBlock) => ScannedBlock
  /** Whether rows that could be printed at once are collected, with the values that later stages read. */
  isCollected?: boolean
}

/** Rows that are held together before they are printed. A block may have 700,000 short lines. */
const PASSING_ROWS = 16_384

/** Creates a runner. */
export function createBlockRunner(
  stage: ScanStage,
  { limitBytes, yieldIfDue, admit = (scanned) => scanned, isCollected = false }: RunnerOptions,
): BlockRunner {
  const kind = kindOf(stage)
  const context = createRunContext(limitBytes, yieldIfDue)
  const scanner = createBlockScanner()
  const groups = kind === 'groups' ? createLineGroups(stage as ScanStage & { sink: GroupSink }, context) : undefined
  const top = stage as ScanStage & { sink: TopSink }
  const isPassing = kind === 'rows' && !isCollected
  async function* passingOf(lines: ScannedBlock): AsyncGenerator<readonly Row[], void> {
    for (const part of partsOfBlock(lines, PASSING_ROWS)) yield passingRows(top, part, context)
  }

  return {
    scanner,
    groups,
    async run(block) {
      const scanned = scanner.scan(block)
      const { faults, unreadableTimes } = scanned
      const admitted = admit(scanned)
      const part = partOfBlock(admitted)
      await groups?.add(part)
      const sorted = groups === undefined && !isPassing ? await sortedRows(top, part, context) : undefined
      const passing = isPassing ? passingOf(admitted) : undefined
      return { scanned, faults, unreadableTimes, sorted, passing }
    },
  }
}
