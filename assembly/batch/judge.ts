/** Judging a line by its fields. Refusals have an order: the first of these that holds is the one that is told. */
import { Lane } from './lanes'
import { laneNamed, UNKNOWN } from '../fields/sources'
import {
  ABSENT,
  ARRAY_OF_OBJECTS,
  EVENT_MESSAGE,
  endOf,
  ID,
  isText,
  kindOf,
  MESSAGE,
  METADATA_FIELD,
  NUMBER,
  OBJECT,
  OK,
  PROJECT,
  SOURCE,
  startOf,
  TIMESTAMP,
} from '../scan/table'
import { locate, textEnd, textStart } from './texts'
import { epochTimestamp, isoTimestamp } from '../fields/timestamps'
import { INVALID_FIELD, INVALID_TIMESTAMP, MISSING_SOURCE, TOO_FAR_AHEAD, TOO_OLD, UNKNOWN_SOURCE } from './verdicts'

const DAY_US: f64 = 86400e6

/** How far ahead of now a record may lie, and how far back. */
const AHEAD_US: f64 = DAY_US
let retentionUs: f64 = 0

/** The lane of records that name no source, or UNKNOWN. */
let defaultLane: i32 = UNKNOWN

/** Whether the `message` of a record that has no event_message is that. */
let takesMessage = false

/** Sets what is the same for all lines. */
export function setRules(retention: f64): void {
  retentionUs = retention
}

/** Sets what holds for lines from now on. */
export function setDefaults(lane: i32, message: bool): void {
  defaultLane = lane
  takesMessage = message
}

/** The number of the lane that the line belongs to, or the complement (`~`, negative) of a refusal. */
export function judgeSource(row: usize): i32 {
  if (kindOf(row, SOURCE) == ABSENT) return defaultLane == UNKNOWN ? ~MISSING_SOURCE : defaultLane
  if (!isText(row, SOURCE)) return ~INVALID_FIELD
  locate(row, SOURCE)
  const lane = laneNamed(textStart, textEnd)
  return lane == UNKNOWN ? ~UNKNOWN_SOURCE : lane
}

export function hasRightTypes(row: usize): bool {
  if (!isTextOrAbsent(row, ID) || !isTextOrAbsent(row, messageField(row)) || !isTextOrAbsent(row, PROJECT)) return false
  const metadata = kindOf(row, METADATA_FIELD)
  return metadata == OBJECT || metadata == ARRAY_OF_OBJECTS || metadata == ABSENT
}

// @ts-ignore: decorator
@inline
function isTextOrAbsent(row: usize, field: u32): bool {
  return isText(row, field) || kindOf(row, field) == ABSENT
}

/** The field that holds the event message of a line. */
export function messageField(row: usize): u32 {
  return takesMessage && kindOf(row, EVENT_MESSAGE) == ABSENT ? MESSAGE : EVENT_MESSAGE
}

/** The field that holds the project of a line in this lane: the last of its places if none is a text. */
export function projectField(row: usize, lane: Lane): u32 {
  if (isText(row, lane.firstProject)) return lane.firstProject
  return isText(row, lane.secondProject) ? lane.secondProject : lane.thirdProject
}

/** Microseconds; the time of receipt if the record names none, NaN if it cannot be read. */
export function timestampOf(row: usize, nowUs: f64): f64 {
  const kind = kindOf(row, TIMESTAMP)
  if (kind == ABSENT) return nowUs
  if (kind == NUMBER) return epochTimestamp(startOf(row, TIMESTAMP), endOf(row, TIMESTAMP))
  if (!isText(row, TIMESTAMP)) return NaN
  locate(row, TIMESTAMP)
  return isoTimestamp(textStart, textEnd)
}

/** OK, or why a record of this time is refused. */
export function judgeTimestamp(timestampUs: f64, nowUs: f64): i32 {
  if (isNaN(timestampUs)) return INVALID_TIMESTAMP
  if (timestampUs < nowUs - retentionUs) return TOO_OLD
  return timestampUs > nowUs + AHEAD_US ? TOO_FAR_AHEAD : OK
}
