import { growTo } from '../../base/wasm.js'
import { DEFAULT_FIELD_NAMES, type FieldNames } from '../../field-names.js'
import { SOURCES, type Source } from '../../sources.js'
import { LINE_INTS } from '../../wasm-layout/field-table.js'
import { SLACK_BYTES } from '../../wasm-layout/memory.js'
import * as outcome from '../../wasm-layout/outcomes.js'
import * as fault from '../../wasm-layout/split-faults.js'
import type { Reason } from '../rejects.js'
import { type BatchBuilder, createBatchBuilder } from './batch-builder.js'
import { createHost } from './host.js'
import { type Exports, instantiateIngest } from './instance.js'
import type { Scanner } from './scanner.js'
import { addBuilders, addNames, builderIndexOf, setFieldNames } from './setup.js'

export interface ModuleOptions {
  /** Bytes that can be scanned at a time, and lines. */
  capacityBytes: number
  maxLines: number
  /** The longest line that is taken. */
  maxLineBytes: number
  /** A batch is full when it holds this much. */
  batchRows: number
  batchBytes: number
  retentionUs: number
  defaults?: LineDefaults
}

/**
 * An instance of the WebAssembly module (the folder `wasm`): scans lines, SIMD throughout, and appends them to the columns of
 * their sources' batches. No object is made for a line.
 */
export interface Module extends Scanner {
  /**
   * Takes lines [from, to) of the table, received at `nowUs`; each is whole, valid UTF-8 and not too long. Returns the
   * index behind the last of them: `to`, unless one is refused or makes a batch full.
   */
  append(from: number, to: number, nowUs: number): number
  /** From now on `take` refuses records of other projects than these, and those without one; undefined: it refuses none. */
  setAllowedProjects(projects: ReadonlySet<string> | undefined): void
  /** What the last `take` stopped at, if at anything: why its last line is refused, or the lane whose batch is full. */
  stopCause(): Reason | BatchBuilder | undefined
  /** What holds for the lines that are taken from now on; writes at the start of `bytes`. */
  setDefaults(defaults: LineDefaults): void
  /**
   * Makes each record of the JSON body [start, end) a line, in place: the elements of an array, or of the array `batch`
   * of an object, or one object. Says where the lines are and how many, or what is wrong with the body and where.
   */
  splitJson(start: number, end: number, maxRecords: number): SplitLines | SplitFault
  /**
   * The same for objects that follow one another; the lines are moved to the front. Before `start` a byte is free for each
   * of the objects.
   */
  splitObjects(start: number, end: number, maxRecords: number): SplitLines | SplitFault
  /** Whether objects may follow one another on a line of the NDJSON body [start, end). */
  hasAdjacentObjects(start: number, end: number): boolean
  /** Makes each of them a line of its own; says where the lines are. Before `start` a byte is free for each of the lines. */
  splitLines(start: number, end: number): Omit<SplitLines, 'records'>
  /** In the order of SOURCES. */
  readonly builders: readonly BatchBuilder[]
}

/** What lines get that lack it, and which of their fields hold time and message. */
export interface LineDefaults {
  /** If there is one, a `source` that names none is a field like others. */
  source?: Source
  project?: string
  fieldNames?: FieldNames
}

/** The lines [start, end) that a body was cut into. */
export interface SplitLines {
  start: number
  end: number
  records: number
}

export interface SplitFault {
  fault: 'empty' | 'no_container' | 'cut_off' | 'no_element' | 'no_comma' | 'not_the_end' | 'too_many' | 'more_objects'
  at: number
}

const SPLIT_FAULTS: Record<number, SplitFault['fault']> = {
  [fault.EMPTY]: 'empty',
  [fault.NO_CONTAINER]: 'no_container',
  [fault.CUT_OFF]: 'cut_off',
  [fault.NO_ELEMENT]: 'no_element',
  [fault.NO_COMMA]: 'no_comma',
  [fault.NOT_THE_END]: 'not_the_end',
  [fault.TOO_MANY]: 'too_many',
  [fault.MORE_OBJECTS]: 'more_objects',
}

/** The reason for each outcome that refuses a line. */
const REASONS: Record<number, Reason> = {
  [outcome.INVALID_JSON]: 'invalid_json',
  [outcome.NOT_AN_OBJECT]: 'not_an_object',
  [outcome.TOO_DEEP]: 'too_deep',
  [outcome.MISSING_SOURCE]: 'missing_source',
  [outcome.UNKNOWN_SOURCE]: 'unknown_source',
  [outcome.INVALID_FIELD]: 'invalid_field',
  [outcome.INVALID_TIMESTAMP]: 'invalid_timestamp',
  [outcome.TOO_OLD]: 'too_old',
  [outcome.TOO_FAR_AHEAD]: 'too_far_ahead',
  [outcome.FORBIDDEN_PROJECT]: 'forbidden_project',
}

/**
 * Its memory is sized once, all columns of all sources with it, and never grows: what is not touched costs nothing.
 * Throws if `ingest.wasm` was not built.
 */
export function createModule(options: ModuleOptions): Module {
  const { capacityBytes, maxLines, retentionUs, defaults = {} } = options
  let memory: Buffer
  const exports = instantiateIngest(createHost(() => memory))
  const bytesAt = exports.bytesAddress()
  const tableAt = Math.ceil((bytesAt + capacityBytes + SLACK_BYTES) / SLACK_BYTES) * SLACK_BYTES
  const addresses = reserve(exports, tableAt, options)
  const { buffer } = exports.memory
  memory = Buffer.from(buffer)
  const bytes = new Uint8Array(buffer, bytesAt, capacityBytes)
  addNames(exports, bytes)
  exports.setRetention(retentionUs)
  setDefaults(defaults)
  const builders = addresses.map((at, i) =>
    createBatchBuilder(SOURCES[i]!.name, buffer, at, () => exports.clearBuilder(at)),
  )

  function setDefaults({ source, project, fieldNames = DEFAULT_FIELD_NAMES }: LineDefaults): void {
    setFieldNames(exports, bytes, fieldNames)
    const projectBytes = project === undefined ? undefined : Buffer.from(project)
    bytes.set(projectBytes ?? [])
    exports.setDefaults(builderIndexOf(source), projectBytes?.length ?? -1)
  }

  function splitResult(records: number): SplitLines | SplitFault {
    if (records < 0) return { fault: SPLIT_FAULTS[~records]!, at: exports.linesStart() }
    return { start: exports.linesStart(), end: exports.linesEnd(), records }
  }

  function stopCause(): Reason | BatchBuilder | undefined {
    const code = exports.stopCode()
    return code < 0 ? builders[~code] : REASONS[code]
  }

  return {
    bytes,
    table: new Int32Array(buffer, tableAt, LINE_INTS * maxLines),
    maxLines,
    scan: (start, end) => exports.scan(start, end, tableAt, maxLines),
    append: exports.appendLines,
    setAllowedProjects: (projects) =>
      exports.setAllowedProjects(writeProjects(memory, exports.projectsAddress(), projects)),
    stopCause,
    setDefaults,
    splitJson: (start, end, maxRecords) => splitResult(exports.splitJson(start, end, maxRecords)),
    splitObjects: (start, end, maxRecords) => splitResult(exports.splitObjects(start, end, maxRecords)),
    hasAdjacentObjects: (start, end) => exports.hasAdjacentObjects(start, end) !== 0,
    splitLines(start, end) {
      exports.splitLines(start, end)
      return { start: exports.linesStart(), end: exports.linesEnd() }
    },
    builders,
  }
}

/** Puts names at an address, each behind its length, and gives how many bytes they take; -1 where there are none to put. */
function writeProjects(memory: Buffer, address: number, projects: ReadonlySet<string> | undefined): number {
  if (projects === undefined) return -1
  let at = address
  for (const project of projects) {
    const length = memory.write(project, at + 4, 'utf8')
    at = memory.writeInt32LE(length, at) + length
  }
  return at - address
}

/** Sizes the memory, and gives the addresses of the lanes. */
function reserve(exports: Exports, tableAt: number, options: ModuleOptions): number[] {
  const { maxLines, maxLineBytes, batchRows, batchBytes } = options
  exports.setSizes(tableAt, maxLines, maxLineBytes, batchRows, batchBytes)
  exports.reserveScratch()
  exports.reserveMemberNames()
  exports.reserveProjects()
  const builders = addBuilders(exports)
  growTo(exports.memory, exports.reservedEnd())
  return builders
}
