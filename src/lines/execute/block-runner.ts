import type { Yielder } from '../../base/scheduling/time-slices.js'
import type { GroupSink } from '../../engine/execute/grouping/sink.js'
import type { TopSink } from '../../engine/execute/ordering/sink.js'
import type { ScanStage } from '../../engine/execute/stages/stage.js'
import type { Row } from '../../plan/answer.js'
import { partsOfBlock } from '../scan/line-part.js'
import { createLiteralFilter } from '../scan/literal-filter.js'
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

/** Rows that are read together: about a block of lines of usual length. A block may have 700,000 short lines. */
const PART_ROWS = 16_384

/** Creates a runner with a scanner of its own, and empty groups. */
export function createBlockRunner(
  stage: ScanStage,
  { limitBytes, yieldIfDue, admit = (scanned) => scanned, isCollected = false }: RunnerOptions,
): BlockRunner {
  const kind = kindOf(stage)
  const context = createRunContext(limitBytes, yieldIfDue)
  const scanner = createBlockScanner()
  const groups = kind === 'groups' ? createLineGroups(stage as ScanStage & { sink: GroupSink }, context) : undefined
  const top = stage as ScanStage & { sink: TopSink }
  const mayPass = createLiteralFilter(stage) ?? ((lines) => lines)
  const isPassing = kind === 'rows' && !isCollected

  async function* passingOf(lines: ScannedBlock): AsyncGenerator<readonly Row[], void> {
    for (const part of partsOfBlock(lines, PART_ROWS)) yield passingRows(top, part, context)
  }

  async function sortedOf(lines: ScannedBlock): Promise<SortedRow[]> {
    const all: SortedRow[] = []
    let from = 0
    for (const part of partsOfBlock(lines, PART_ROWS)) {
      for (const found of await sortedRows(top, part, context)) all.push({ ...found, row: from + found.row })
      from += part.rows
    }
    return all
  }

  return {
    scanner,
    groups,
    async run(block) {
      const scanned = scanner.scan(block)
      const { faults, unreadableTimes } = scanned
      const lines = mayPass(admit(scanned))
      const counts = { scanned, faults, unreadableTimes }
      if (groups !== undefined) for (const part of partsOfBlock(lines, PART_ROWS)) await groups.add(part)
      if (isPassing) return { ...counts, passing: passingOf(lines), sorted: undefined }
      return { ...counts, passing: undefined, sorted: groups === undefined ? await sortedOf(lines) : undefined }
    },
  }
}
