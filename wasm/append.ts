/** Entry point: checks the scanned lines of the field table and appends each to the batch of its source. */
import { BLANK, FORBIDDEN_PROJECT, INVALID_FIELD, INVALID_JSON, OK, TOO_OLD } from '../src/wasm-layout/outcomes'
import { BatchBuilder, builderAt, isFull } from './batch/batch-builder'
import { isPastLimit } from './batch/limits'
import { isProjectAllowed } from './batch/projects'
import { table } from './batch/regions'
import { putRest, putTexts } from './batch/rows'
import {
  checkTimestamp,
  findBuilder,
  hasValidTypes,
  missingLength,
  projectField,
  replacesTime,
  timestampOf,
} from './batch/validate'
import { outcomeOf, ROW_BYTES } from './scan/table'

/** The cause of the last stop of `appendLines`; see `stopCode`. */
let stopped: i32 = OK

/**
 * Appends the lines [from, to) of the field table, received at `nowUs`. Stops after the first line that is refused or
 * fills a batch; `stopCode` then returns the cause. Returns the index after the last processed line.
 */
export function appendLines(from: i32, to: i32, nowUs: f64): i32 {
  stopped = OK
  for (let line = from; line < to; line++) {
    stopped = appendLine(table + <usize>line * ROW_BYTES, nowUs)
    if (stopped != OK) return line + 1
  }
  return to
}

/**
 * Returns why the last `appendLines` stopped: OK, the outcome of a refused line, NEW_SOURCE, or the complement (`~`,
 * negative) of the index of a full builder.
 */
export function stopCode(): i32 {
  return stopped
}

/** Appends the line at which `appendLines` has just stopped with NEW_SOURCE to this builder. Sets `stopCode`. */
export function appendLineTo(builder: i32, line: i32, nowUs: f64): void {
  stopped = appendTo(builder, table + <usize>line * ROW_BYTES, nowUs)
}

/** Returns the length of the name of the source without a builder, in `ownNameAddress`. 0: it is the default. */
export function newSourceLength(): i32 {
  return missingLength
}

function appendLine(row: usize, nowUs: f64): i32 {
  const scanned = outcomeOf(row)
  if (scanned != OK) return scanned == BLANK ? OK : scanned
  const index = findBuilder(row)
  return index < 0 ? ~index : appendTo(index, row, nowUs)
}

function appendTo(index: i32, row: usize, nowUs: f64): i32 {
  const builder = builderAt(index)
  const outcome = appendRecord(row, builder, nowUs)
  if (outcome != OK) return outcome
  return isFull(builder) ? ~index : OK
}

/**
 * Appends a line to its batch builder, or returns the outcome that refuses it; a refused line leaves nothing in the
 * batch.
 */
function appendRecord(row: usize, builder: BatchBuilder, nowUs: f64): i32 {
  if (!hasValidTypes(row)) return INVALID_FIELD
  const project = projectField(row, builder)
  if (!putTexts(row, builder, project)) return INVALID_JSON
  if (!isProjectAllowed(row, project)) return FORBIDDEN_PROJECT
  const timestampUs = timestampOf(row, nowUs)
  const outcome = checkTimestamp(timestampUs, nowUs)
  if (outcome == OK) {
    if (isPastLimit(row, builder, project, timestampUs)) return TOO_OLD
    putRest(row, builder, project, timestampUs)
  } else if (replacesTime(outcome)) {
    builder.unreadableTimes++
    putRest(row, builder, project, nowUs)
    return OK
  }
  return outcome
}
