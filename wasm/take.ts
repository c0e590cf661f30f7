/** The third door: judges the lines that `scan` has put into the field table; each joins the batch of its source. */
import { BLANK, FORBIDDEN_PROJECT, INVALID_FIELD, INVALID_JSON, OK } from '../src/wasm-layout/outcomes'
import { hasRightTypes, judgeSource, judgeTimestamp, projectField, timestampOf } from './batch/judge'
import { isFull, Lane, laneAt } from './batch/lanes'
import { isOfTakenProject } from './batch/projects'
import { table } from './batch/regions'
import { putRest, putTexts } from './batch/rows'
import { outcomeOf, ROW_BYTES } from './scan/table'

/** What `take` stopped at; see `stop`. */
let stopped: i32 = OK

/**
 * Takes the lines [from, to) of the field table, received at `nowUs`, and gives the index behind the last of them: all,
 * or up to the first that is refused, or that makes a batch full, which `stop` then tells.
 */
export function take(from: i32, to: i32, nowUs: f64): i32 {
  stopped = OK
  for (let line = from; line < to; line++) {
    stopped = takeLine(table + <usize>line * ROW_BYTES, nowUs)
    if (stopped != OK) return line + 1
  }
  return to
}

/** Why the last `take` stopped: OK, a refusal, or the complement (`~`, negative) of the number of a full lane. */
export function stop(): i32 {
  return stopped
}

function takeLine(row: usize, nowUs: f64): i32 {
  const outcome = outcomeOf(row)
  if (outcome != OK) return outcome == BLANK ? OK : outcome
  const number = judgeSource(row)
  if (number < 0) return ~number
  const lane = laneAt(number)
  const verdict = append(row, lane, nowUs)
  if (verdict != OK) return verdict
  return isFull(lane) ? ~number : OK
}

/** Appends a line to its lane, or says why not; nothing of a refused line stays behind. */
function append(row: usize, lane: Lane, nowUs: f64): i32 {
  if (!hasRightTypes(row)) return INVALID_FIELD
  const project = projectField(row, lane)
  if (!putTexts(row, lane, project)) return INVALID_JSON
  if (!isOfTakenProject(row, project)) return FORBIDDEN_PROJECT
  const timestampUs = timestampOf(row, nowUs)
  const verdict = judgeTimestamp(timestampUs, nowUs)
  if (verdict == OK) putRest(row, lane, project, timestampUs)
  return verdict
}
