/** Judging a line by its fields. Refusals have an order: the first of these that holds is the one that is told. */
import {
  ABSENT,
  ARRAY_OF_OBJECTS,
  ID,
  MESSAGES,
  METADATA_FIELD,
  NUMBER,
  OBJECT,
  PROJECT,
  SOURCE,
  TIMES,
} from '../../src/wasm-layout/field-table'
import {
  INVALID_FIELD,
  INVALID_TIMESTAMP,
  MISSING_SOURCE,
  OK,
  TOO_FAR_AHEAD,
  TOO_OLD,
  UNKNOWN_SOURCE,
} from '../../src/wasm-layout/outcomes'
import { laneNamed, UNKNOWN } from '../fields/sources'
import { epochTimestamp, isoTimestamp } from '../fields/timestamps'
import { endOf, isText, kindOf, startOf } from '../scan/table'
import { messageNames, timeNames } from '../scan/time-and-message'
import { Lane } from './lanes'
import { locate, textEnd, textStart } from './texts'

const DAY_US: f64 = 86400e6

/** How far ahead of now a record may lie, and how far back. */
const AHEAD_US: f64 = DAY_US
let retentionUs: f64 = 0

/** The lane of records that name no source, or UNKNOWN. */
let defaultLane: i32 = UNKNOWN

/** Whether the `source` of the line judged last names a source; if not, it is another field. */
export let isSourceNamed = false
/** The fields that hold the time and the message of the line whose types were judged last. */
export let timeField: u32 = TIMES
export let messageField: u32 = MESSAGES

/** Sets what is the same for all lines. */
export function setRules(retention: f64): void {
  retentionUs = retention
}

export function setDefaultLane(lane: i32): void {
  defaultLane = lane
}

/** The number of the lane that the line belongs to, or the complement (`~`, negative) of a refusal. */
export function judgeSource(row: usize): i32 {
  const lane = namedLane(row)
  isSourceNamed = lane >= 0
  return isSourceNamed || defaultLane == UNKNOWN ? lane : defaultLane
}

/** The lane that the line names, or the complement of a refusal. */
function namedLane(row: usize): i32 {
  if (kindOf(row, SOURCE) == ABSENT) return ~MISSING_SOURCE
  if (!isText(row, SOURCE)) return ~INVALID_FIELD
  locate(row, SOURCE)
  const lane = laneNamed(textStart, textEnd)
  return lane == UNKNOWN ? ~UNKNOWN_SOURCE : lane
}

/** Whether the fields that are texts or objects are that; also finds the fields that hold time and message. */
export function hasRightTypes(row: usize): bool {
  timeField = firstPresent(row, TIMES, timeNames)
  messageField = firstPresent(row, MESSAGES, messageNames)
  if (!isTextOrAbsent(row, ID) || !isTextOrAbsent(row, messageField) || !isTextOrAbsent(row, PROJECT)) return false
  const metadata = kindOf(row, METADATA_FIELD)
  return metadata == OBJECT || metadata == ARRAY_OF_OBJECTS || metadata == ABSENT
}

// @ts-ignore: decorator
@inline
function isTextOrAbsent(row: usize, field: u32): bool {
  return isText(row, field) || kindOf(row, field) == ABSENT
}

/** The first of `count` fields from `first` on that the line has; `first` if it has none of them. */
function firstPresent(row: usize, first: u32, count: u32): u32 {
  for (let field = first; field < first + count; field++) if (kindOf(row, field) != ABSENT) return field
  return first
}

/** The field that holds the project of a line in this lane: the last of its places if none is a text. */
export function projectField(row: usize, lane: Lane): u32 {
  if (isText(row, lane.firstProject)) return lane.firstProject
  return isText(row, lane.secondProject) ? lane.secondProject : lane.thirdProject
}

/** Microseconds; the time of receipt if the record names none, NaN if it cannot be read. */
export function timestampOf(row: usize, nowUs: f64): f64 {
  const kind = kindOf(row, timeField)
  if (kind == ABSENT) return nowUs
  if (kind == NUMBER) return epochTimestamp(startOf(row, timeField), endOf(row, timeField))
  if (!isText(row, timeField)) return NaN
  locate(row, timeField)
  return isoTimestamp(textStart, textEnd)
}

/** OK, or why a record of this time is refused. */
export function judgeTimestamp(timestampUs: f64, nowUs: f64): i32 {
  if (isNaN(timestampUs)) return INVALID_TIMESTAMP
  if (timestampUs < nowUs - retentionUs) return TOO_OLD
  return timestampUs > nowUs + AHEAD_US ? TOO_FAR_AHEAD : OK
}
