import { growTo } from '../../base/memory/wasm.js'
import { hotColumns } from '../../common/columns.js'
import { DEFAULT_FIELD_NAMES, type FieldNames } from '../../common/field-names.js'
import { acceptedSources, type Source } from '../../common/sources.js'
import { LINE_INTS } from '../../wasm-layout/field-table.js'
import { SLACK_BYTES } from '../../wasm-layout/memory.js'
import * as outcome from '../../wasm-layout/outcomes.js'
import * as fault from '../../wasm-layout/split-faults.js'
import type { Reason } from '../rejects.js'
import { type BatchBuilder, createBatchBuilder } from './batch-builder.js'
import { createHost } from './host.js'
import { type Exports, instantiateIngest } from './instance.js'
import type { MetadataPaths } from './metadata-paths.js'
import type { Scanner } from './scanner.js'
import { addBuilders, addNames, builderIndexOf, type ColumnsOf, metadataPaths, setFieldNames } from './setup.js'

/** Sizes and limits of a module. */
export interface ModuleOptions {
  /** The most bytes and lines of a scan. */
  capacityBytes: number
  maxLines: number
  /** The longest accepted line. */
  maxLineBytes: number
  /** A batch is full at this many rows or bytes. */
  batchRows: number
  batchBytes: number
  retentionUs: number
  /** Whether a record with an unreadable time is stored with the time of receipt, not rejected. */
  acceptsUnreadableTimes?: boolean | undefined
  defaults?: LineDefaults
  /** The hot columns of each source. By default the hot columns that engines store. */
  columnsOf?: ColumnsOf
}

/**
 * An instance of the WebAssembly module (the folder `wasm`): scans lines with SIMD, and appends the lines to the batch
 * builders of their sources. No object is allocated per line.
 */
export interface Module extends Scanner {
  /**
   * Appends the lines [from, to) of the table, received at `nowUs`. Each line must be whole, valid UTF-8 and not too
   * long. Returns the index after the last appended or rejected line: `to`, unless a line is rejected or fills a
   * batch.
   */
  append(from: number, to: number, nowUs: number): number
  /** Lets `append` reject records of other projects, and records without a project. Undefined allows all records. */
  setAllowedProjects(projects: ReadonlySet<string> | undefined): void
  /** Returns why the last `append` stopped: the reason for the last line, or the full builder, or undefined. */
  stopCause(): Reason | BatchBuilder | undefined
  /** Sets the defaults for the lines from now on. Overwrites the start of `bytes`. */
  setDefaults(defaults: LineDefaults): void
  /**
   * Splits the JSON body [start, end) into lines in place: the elements of an array, or of the array `batch` of an
   * object, or a single object. Returns the range and number of the lines, or the fault of the body and its offset.
   */
  splitJson(start: number, end: number, maxRecords: number): SplitLines | SplitFault
  /**
   * The same for concatenated objects. The lines are moved to the front. Before `start` a byte must be free for each
   * object.
   */
  splitObjects(start: number, end: number, maxRecords: number): SplitLines | SplitFault
  /** Returns whether a line of the NDJSON body [start, end) may have several objects. */
  hasAdjacentObjects(start: number, end: number): boolean
  /** Splits such lines and returns the range of all lines. Before `start` a byte must be free for each line. */
  splitLines(start: number, end: number): Omit<SplitLines, 'records'>
  /** In the order of `acceptedSources`. */
  readonly builders: readonly BatchBuilder[]
}

/** Values for lines that lack the field, and the names of the time and message fields. */
export interface LineDefaults {
  /** If set, a `source` that names no source is an ordinary field. */
  source?: Source
  project?: string
  fieldNames?: FieldNames
}

/** The lines [start, end) of a body that was split. */
interface SplitLines {
  start: number
  end: number
  records: number
}

/** The reason why a body cannot be split. */
export interface SplitFault {
  fault:
    | 'empty'
    | 'no_container'
    | 'cut_off'
    | 'no_element'
    | 'no_comma'
    | 'not_the_end'
    | 'too_many'
    | 'more_objects'
    | 'damaged'
  /** The offset in bytes. For `damaged`, the number of the record from 1, or 0 if the damage is in no record. */
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
  [fault.DAMAGED]: 'damaged',
}

/** The reason for each outcome that rejects a line. */
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
 * Creates a module. Its memory, with the columns of all sources, is sized once and never grows: pages that are not
 * written cost nothing. Throws if `ingest.wasm` was not built.
 */
export function createModule(options: ModuleOptions): Module {
  const { capacityBytes, maxLines, retentionUs, defaults = {}, columnsOf = hotColumns } = options
  const paths = metadataPaths(columnsOf)
  let memory: Buffer
  const exports = instantiateIngest(createHost(() => memory))
  const bytesAt = exports.bytesAddress()
  const tableAt = Math.ceil((bytesAt + capacityBytes + SLACK_BYTES) / SLACK_BYTES) * SLACK_BYTES
  const addresses = reserve(exports, tableAt, options, paths)
  const { buffer } = exports.memory
  memory = Buffer.from(buffer)
  const bytes = new Uint8Array(buffer, bytesAt, capacityBytes)
  addNames(exports, bytes, paths)
  exports.setRetention(retentionUs)
  if (options.acceptsUnreadableTimes) exports.acceptUnreadableTimes()
  setDefaults(defaults)
  const sources = acceptedSources()
  const builders = addresses.map((at, i) => {
    const { name } = sources[i]
    return createBatchBuilder(name, columnsOf(name), buffer, at, () => exports.clearBuilder(at))
  })

  function setDefaults({ source, project, fieldNames = DEFAULT_FIELD_NAMES }: LineDefaults): void {
    setFieldNames(exports, bytes, fieldNames)
    const projectBytes = project === undefined ? undefined : Buffer.from(project)
    bytes.set(projectBytes ?? [])
    exports.setDefaults(builderIndexOf(source), projectBytes?.length ?? -1)
  }

  function splitResult(records: number): SplitLines | SplitFault {
    if (records < 0) return { fault: SPLIT_FAULTS[~records], at: exports.linesStart() }
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

/** Writes names to an address, each after its length. Returns the number of bytes, or -1 if there is no restriction. */
function writeProjects(memory: Buffer, address: number, projects: ReadonlySet<string> | undefined): number {
  if (projects === undefined) return -1
  let at = address
  for (const project of projects) {
    const length = memory.write(project, at + 4, 'utf8')
    at = memory.writeInt32LE(length, at) + length
  }
  return at - address
}

/** Sizes the memory, and returns the addresses of the builders. */
function reserve(exports: Exports, tableAt: number, options: ModuleOptions, paths: MetadataPaths): number[] {
  const { maxLines, maxLineBytes, batchRows, batchBytes, columnsOf = hotColumns } = options
  exports.setSizes(tableAt, maxLines, maxLineBytes, batchRows, batchBytes)
  exports.reserveScratch()
  exports.reserveMemberNames()
  exports.reserveProjects()
  const builders = addBuilders(exports, columnsOf, paths, { batchRows, batchBytes })
  growTo(exports.memory, exports.reservedEnd())
  return builders
}
