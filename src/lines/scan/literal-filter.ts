import { BACKSLASH } from '../../base/text/ascii.js'
import { SHORT_LENGTH } from '../../base/text/text-search.js'
import { createTextTest } from '../../engine/execute/matching/match-texts.js'
import { leadingFilters, type ScanStage } from '../../engine/execute/stages/stage.js'
import { conjunctsOf, type Expression, pathOfField } from '../../plan/expression.js'
import { rowFailureOf } from '../../plan/row-failures.js'
import { schemaOf } from '../../plan/schema.js'
import type { ScannedBlock } from './scan-block.js'

/**
 * Leaves out lines that cannot pass the conditions of a query, by a search for bytes in all lines of a block, which is
 * many times as fast as reading the fields of the lines. Returns the block itself if most lines may pass.
 */
export type LiteralFilter = (block: ScannedBlock) => ScannedBlock

/** The share of a block from which on leaving out the other lines saves no time. */
const MOST_KEPT = 1 / 2

/** Returns the filter of a stage. Returns undefined if the conditions of the stage name no literal to search for. */
export function createLiteralFilter(stage: ScanStage): LiteralFilter | undefined {
  const literals = literalsOf(stage)
  if (literals.length === 0) return undefined
  return (block) => {
    const rows = rowsWith(literals, block)
    return rows.length > MOST_KEPT * block.rows ? block : pick(block, rows)
  }
}

/**
 * Returns bytes that each line that passes a stage has, unless the line has a backslash. Reads the first conditions, up
 * to one that raises errors in some rows: lines that a condition removes must not hide an error of an earlier one. A
 * pattern that takes too long does not count: a line without the literal has no match.
 */
function literalsOf({ input, steps }: ScanStage): Buffer[] {
  const schema = schemaOf([input])
  const literals: Buffer[] = []
  for (const condition of leadingFilters(steps).conditions.flatMap((where) => conjunctsOf(where))) {
    const literal = literalOf(condition)
    if (literal !== undefined) literals.push(literal)
    else if (rowFailureOf(condition, schema) !== undefined) break
  }
  return literals
}

/** Returns bytes of the lines in which a test of a field with a literal is true. Undefined if none are known. */
function literalOf(condition: Expression): Buffer | undefined {
  if (condition.kind !== 'call' || condition.args.length !== 2) return undefined
  const [field, value] = condition.args
  if (pathOfField(field) === undefined || value.kind !== 'literal' || typeof value.value !== 'string') return undefined
  const literal = createTextTest(condition.fn, value.value)?.literal.toString() ?? ''
  const run = runsOf(literal).reduce((longest, one) => (one.length > longest.length ? one : longest), '')
  // Any part of the literal would do: a search for a long one may take more than linear time.
  return run === '' ? undefined : Buffer.from(run).subarray(0, SHORT_LENGTH)
}

/** Characters that JSON always escapes. The text of a list or an object is that of the line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes control characters.
const ESCAPED = /[\0-\x1f"\\]/u
/** A text that may equal a number of another spelling. */
const NUMERIC = /^[-+.0-9eE]*$/u

/** Returns the parts of a text that are spelled the same in a line, if the line has no escapes. */
const runsOf = (text: string): string[] => text.split(ESCAPED).filter((run) => !NUMERIC.test(run))

/** Returns the rows of the lines that have all literals, or a backslash. */
function rowsWith(literals: readonly Buffer[], { bytes, starts, ends, rows }: ScannedBlock) {
  const lines = bytes.subarray(0, rows === 0 ? 0 : ends[rows - 1])
  const finders = literals.map((literal) => finder(lines, literal))
  const hasEscape = finder(lines, BACKSLASH)
  return Uint32Array.from({ length: rows }, (_, row) => row).filter((row) => {
    const [start, end] = [starts[row], ends[row]]
    return finders.every((isIn) => isIn(start, end)) || hasEscape(start, end)
  })
}

/** Returns whether a part starts between two places. The starts of calls ascend. */
function finder(bytes: Buffer, part: Buffer | number): (start: number, end: number) => boolean {
  let at = -1
  return (start, end) => {
    if (at < start) at = indexFrom(bytes, part, start)
    return at < end
  }
}

/** Returns the first place of a part, or the number of bytes. */
function indexFrom(bytes: Buffer, part: Buffer | number, start: number): number {
  const at = bytes.indexOf(part, start)
  return at < 0 ? bytes.length : at
}

/** Returns a block of some rows of a block. */
const pick = (block: ScannedBlock, rows: Uint32Array<ArrayBuffer>): ScannedBlock => ({
  ...block,
  rows: rows.length,
  starts: rows.map((row) => block.starts[row]),
  ends: rows.map((row) => block.ends[row]),
  timesUs: block.timesUs.length === 0 ? block.timesUs : Float64Array.from(rows, (row) => block.timesUs[row]),
})
