/** Checks the fields of a line. The order of the checks is fixed: the first that fails is the reported reason. */
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
  NEW_SOURCE,
  OK,
  TOO_FAR_AHEAD,
  TOO_OLD,
  UNKNOWN_SOURCE,
} from '../../src/wasm-layout/outcomes'
import { builderNamed, EXACT, nameFlags, newLength, NEW, PRECEDES_DEFAULT, UNKNOWN } from '../fields/sources'
import { epochTimestamp, isoTimestamp } from '../fields/timestamps'
import { endOf, isText, kindOf, startOf } from '../scan/table'
import { messageNames, timeNames } from '../scan/time-and-message'
import { BatchBuilder } from './batch-builder'
import { locateText, textEnd, textStart } from './texts'

const DAY_US: f64 = 86400e6

/** How far after and before now the time of a record may be. */
const AHEAD_US: f64 = DAY_US
let retentionUs: f64 = 0

/** Whether a record with an unreadable time gets the time of receipt. */
let acceptsUnreadableTimes = false

/** The number of no field. */
const NO_FIELD: u32 = 0xffffffff

/** Index of the builder for records without a known source, NEW if the default has none yet, or UNKNOWN. */
let defaultBuilder: i32 = UNKNOWN

/** Whether the last line named its source exactly; if not, its `source` is another field. */
export let isSourceNamed = false
/** The length of the name of the last line's source, if the source has no builder. 0: the line has the default. */
export let missingLength: i32 = 0
/** The fields that contain the time and the message of the line last passed to `hasValidTypes`. */
export let timeField: u32 = TIMES
/** The field with the message of the last line. */
export let messageField: u32 = MESSAGES

/** Sets how far back the time of a record may be, in microseconds. */
export function setRetention(retention: f64): void {
  retentionUs = retention
}

/** Gives records with an unreadable time the time of receipt, from the next line on. */
export function acceptUnreadableTimes(): void {
  acceptsUnreadableTimes = true
}

/** Sets the builder for records without a known source; UNKNOWN refuses them. */
export function setDefaultBuilder(builder: i32): void {
  defaultBuilder = builder
}

/**
 * Returns the index of the builder of a line, or the complement (`~`, negative) of a refusal. If there is a default,
 * only a source that is named exactly, and is one of the nine or configured, precedes it: a default turns the other
 * texts into fields.
 */
export function findBuilder(row: usize): i32 {
  const builder = namedBuilder(row)
  const isNamed = builder >= 0 || builder == ~NEW_SOURCE
  if (defaultBuilder == UNKNOWN || (isNamed && nameFlags == (EXACT | PRECEDES_DEFAULT))) {
    isSourceNamed = isNamed && (nameFlags & EXACT) != 0
    missingLength = newLength
    return builder
  }
  isSourceNamed = false
  missingLength = 0
  return defaultBuilder == NEW ? ~NEW_SOURCE : defaultBuilder
}

/** Returns the index of the builder of the source that the line names, or the complement of a refusal. */
function namedBuilder(row: usize): i32 {
  if (kindOf(row, SOURCE) == ABSENT) return ~MISSING_SOURCE
  if (!isText(row, SOURCE)) return ~INVALID_FIELD
  locateText(row, SOURCE)
  const builder = builderNamed(textStart, textEnd, defaultBuilder != UNKNOWN)
  if (builder == NEW) return ~NEW_SOURCE
  return builder == UNKNOWN ? ~UNKNOWN_SOURCE : builder
}

/** Returns whether the fields that must be texts or objects are. Also finds the fields of time and message. */
export function hasValidTypes(row: usize): bool {
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

/** Returns the first of `count` fields from `first` on that the line has; `first` if it has none. */
function firstPresent(row: usize, first: u32, count: u32): u32 {
  for (let field = first; field < first + count; field++) if (kindOf(row, field) != ABSENT) return field
  return first
}

/** Returns the field of the project for a line of this builder; the last candidate if none is a text. */
export function projectField(row: usize, builder: BatchBuilder): u32 {
  if (isText(row, builder.firstProject)) return builder.firstProject
  return isText(row, builder.secondProject) ? builder.secondProject : builder.thirdProject
}

/** Returns the time in microseconds: the time of receipt if the record has none, NaN if it is invalid. */
export function timestampOf(row: usize, nowUs: f64): f64 {
  const kind = kindOf(row, timeField)
  if (kind == ABSENT) return nowUs
  if (kind == NUMBER) return epochTimestamp(startOf(row, timeField), endOf(row, timeField))
  if (!isText(row, timeField)) return NaN
  locateText(row, timeField)
  return isoTimestamp(textStart, textEnd)
}

/**
 * Returns whether a record with this outcome is to be stored with the time of receipt. Its time field, which could not
 * be read, is then another field of the record, so that its value is kept.
 */
export function replacesTime(outcome: i32): bool {
  if (outcome != INVALID_TIMESTAMP || !acceptsUnreadableTimes) return false
  timeField = NO_FIELD
  return true
}

/** Returns OK, or the outcome that refuses a record of this time. */
export function checkTimestamp(timestampUs: f64, nowUs: f64): i32 {
  if (isNaN(timestampUs)) return INVALID_TIMESTAMP
  if (timestampUs < nowUs - retentionUs) return TOO_OLD
  return timestampUs > nowUs + AHEAD_US ? TOO_FAR_AHEAD : OK
}
