import { type HotColumn, hotColumns } from '../../common/columns.js'
import { DEFAULT_FIELD_NAMES, type FieldNames } from '../../common/field-names.js'
import { OWN_PROJECT_PLACES, SOURCES, type SourceName } from '../../common/sources.js'
import type { Triggers } from '../../masking/lines/triggers.js'
import { LINE_INTS } from '../../wasm-layout/field-table.js'
import * as outcome from '../../wasm-layout/outcomes.js'
import * as fault from '../../wasm-layout/split-faults.js'
import type { Reason } from '../rejects.js'
import { type BatchBuilder, createBatchBuilder } from './batch-builder.js'
import { createHost, type HiddenThrough } from './host.js'
import { type Exports, instantiateIngest } from './instance.js'
import type { MetadataPaths } from './metadata-paths.js'
import { createModuleMemory, type ModuleMemory } from './module-memory.js'
import { createOwnBuilders, OWN_BATCH_BYTES, OWN_BATCH_ROWS, type OwnBuilders } from './own-builders.js'
import type { Scanner } from './scanner.js'
import { addBuilder, addBuilders, addNames, type ColumnsOf, metadataPaths, setFieldNames } from './setup.js'

/** Tells which records are past the limit of their project. Times are in microseconds since the epoch. */
export interface ArrivalLimits {
  /** Returns the time of the newest record of any source and project that is past its limit at a time. */
  newestOfAllUs(nowUs: number): number
  /** Returns the time of the newest record of a project, or without a project, that is past its limit at a time. */
  hiddenThroughUs(source: SourceName, project: string | undefined, nowUs: number): number
}

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
  /** The limits of projects and sources. By default there are none. */
  limits?: ArrivalLimits | undefined
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
  /**
   * Returns why the last `append` or `appendTo` stopped: the reason for the last line, or the full builder, or
   * MISSING_BUILDER: the source `own.missing()` of the last line, which is not appended, has no builder. Undefined: at
   * the end.
   */
  stopCause(): Reason | BatchBuilder | typeof MISSING_BUILDER | undefined
  /** Appends the line at which `append` has stopped with MISSING_BUILDER to a builder of `own`. */
  appendTo(builder: BatchBuilder, line: number, nowUs: number): void
  /** Sets the texts and numbers of which a line that is to be masked has one. */
  setTriggers(triggers: Triggers): void
  /** Returns whether a line of the table has a trigger. */
  hasTrigger(index: number): boolean
  /** A line in place of a line of the table, as a masked one. */
  readonly replacement: ReplacementLine
  /** The builders of own sources. Adding one replaces `bytes` and `table`. */
  readonly own: OwnBuilders
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
  /** The builders of the nine sources, in their order, then those of own sources. */
  readonly builders: readonly BatchBuilder[]
}

/** A line that is appended in place of another. */
interface ReplacementLine {
  /** The memory of the module, with the input from `bytes.byteOffset` on. A view as `bytes` is. */
  memory(): Buffer
  /** The place of the line in the memory, with room for the longest accepted line. */
  readonly at: number
  /** Scans the line of this length. Returns its index in the table, for `append` and `appendTo`. */
  scan(length: number): number
}

/** Values for lines that lack the field, and the names of the time and message fields. */
export interface LineDefaults {
  /** If set, a `source` that is none of the nine, and not configured, is an ordinary field. */
  source?: SourceName | undefined
  project?: string
  fieldNames?: FieldNames
}

/** The lines [start, end) of a body that was split. */
interface SplitLines {
  start: number
  end: number
  records: number
}

/** A cause of a stop: see {@link Module.stopCause}. */
export const MISSING_BUILDER = Symbol('missing builder')

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
 * Creates a module. Its memory, with the columns of the nine sources, is sized at once. It grows with each builder of
 * an own source. Pages that are not written cost nothing. Throws if `ingest.wasm` was not built.
 */
export function createModule(options: ModuleOptions): Module {
  const { maxLines, limits, defaults = {}, columnsOf = hotColumns } = options
  const paths = metadataPaths(columnsOf)
  const receipt = createReceipt(limits, (builder) => builders[builder]!.source)
  const exports: Exports = instantiateIngest(createHost(() => memory.buffer(), receipt.hiddenThrough))
  const memory = createModuleMemory(exports, options)
  const addresses = reserve(exports, memory.tableAt, options, paths)
  memory.grow()
  addNames(exports, memory.bytes(), paths)
  setTimeRules(exports, options)
  const builders = addresses.map((at, i) => builderAt(at, SOURCES[i].name, columnsOf(SOURCES[i].name)))
  const own = createOwnBuilders(exports, memory.buffer, addOwnBuilders)
  exports.setBatchLimits(Math.min(options.batchRows, OWN_BATCH_ROWS), Math.min(options.batchBytes, OWN_BATCH_BYTES))
  setDefaults(defaults)

  function builderAt(address: number, source: SourceName, hot: readonly HotColumn[]): BatchBuilder {
    return createBatchBuilder(source, hot, memory.buffer, address, () => exports.clearBuilder(address))
  }

  function addOwnBuilders(count: number): readonly BatchBuilder[] {
    const added = Array.from({ length: count }, () => addBuilder(exports, OWN_PROJECT_PLACES, paths.fieldAt))
    memory.grow()
    builders.push(...added.map((address) => builderAt(address, '', [])))
    return builders.slice(-count)
  }

  function setDefaults({ source, project, fieldNames = DEFAULT_FIELD_NAMES }: LineDefaults): void {
    setFieldNames(exports, memory.bytes(), fieldNames)
    const projectBytes = project === undefined ? undefined : Buffer.from(project)
    memory.bytes().set(projectBytes ?? [])
    exports.setDefaults(own.setDefault(source), projectBytes?.length ?? -1)
  }

  function stopCause(): ReturnType<Module['stopCause']> {
    const code = exports.stopCode()
    if (code === outcome.NEW_SOURCE) return MISSING_BUILDER
    return code < 0 ? builders[~code] : REASONS[code]
  }

  return {
    get bytes() {
      return memory.bytes()
    },
    get table() {
      return memory.table()
    },
    maxLines,
    scan: (start, end) => exports.scan(start, end, memory.tableAt, maxLines),
    own,
    setAllowedProjects: (projects) =>
      exports.setAllowedProjects(writeProjects(memory.buffer(), exports.projectsAddress(), projects)),
    ...triggersOf(exports, memory),
    replacement: replacementOf(exports, memory, maxLines),
    stopCause,
    setDefaults,
    builders,
    ...appendsOf(exports, receipt, builders),
    ...splitsOf(exports),
  }
}

/** Keeps the time of receipt, for the limits at that time. `sourceOf` returns the source of a builder. */
function createReceipt(limits: ArrivalLimits | undefined, sourceOf: (builder: number) => SourceName) {
  let receivedUs = 0
  const hiddenThrough: HiddenThrough = (builder, project) =>
    limits?.hiddenThroughUs(sourceOf(builder), project, receivedUs) ?? Number.NEGATIVE_INFINITY
  return {
    hiddenThrough,
    set(exports: Exports, nowUs: number): void {
      if (limits === undefined) return
      receivedUs = nowUs
      exports.setNewestHidden(limits.newestOfAllUs(nowUs))
    },
  }
}

/** Returns the functions that append lines. */
function appendsOf(
  exports: Exports,
  receipt: ReturnType<typeof createReceipt>,
  builders: readonly BatchBuilder[],
): Pick<Module, 'append' | 'appendTo'> {
  return {
    append(from, to, nowUs) {
      receipt.set(exports, nowUs)
      return exports.appendLines(from, to, nowUs)
    },
    appendTo(builder, line, nowUs) {
      receipt.set(exports, nowUs)
      exports.appendLineTo(builders.indexOf(builder), line, nowUs)
    },
  }
}

/** Returns the functions about triggers. */
function triggersOf(exports: Exports, memory: ModuleMemory): Pick<Module, 'setTriggers' | 'hasTrigger'> {
  return {
    setTriggers({ bytes, texts, digits }) {
      memory.buffer().set(bytes, exports.triggersAddress())
      exports.setTriggers(texts, digits)
    },
    hasTrigger(index) {
      const table = memory.table()
      const row = index * LINE_INTS
      return exports.hasTrigger(table[row + 1]!, table[row + 2]!) !== 0
    },
  }
}

function replacementOf(exports: Exports, { buffer, bytes, tableAt }: ModuleMemory, maxLines: number): ReplacementLine {
  const at = exports.replacementAddress()
  return {
    memory: buffer,
    at,
    scan(length) {
      const start = at - bytes().byteOffset
      exports.scanAlone(start, start + length, tableAt + 4 * LINE_INTS * maxLines)
      return maxLines
    },
  }
}

function setTimeRules(exports: Exports, { retentionUs, acceptsUnreadableTimes }: ModuleOptions): void {
  exports.setRetention(retentionUs)
  if (acceptsUnreadableTimes) exports.acceptUnreadableTimes()
}

/** Returns the functions that split bodies. */
function splitsOf(exports: Exports): Pick<Module, 'splitJson' | 'splitObjects' | 'splitLines' | 'hasAdjacentObjects'> {
  function splitResult(records: number): SplitLines | SplitFault {
    if (records < 0) return { fault: SPLIT_FAULTS[~records], at: exports.linesStart() }
    return { start: exports.linesStart(), end: exports.linesEnd(), records }
  }
  return {
    splitJson: (start, end, maxRecords) => splitResult(exports.splitJson(start, end, maxRecords)),
    splitObjects: (start, end, maxRecords) => splitResult(exports.splitObjects(start, end, maxRecords)),
    hasAdjacentObjects: (start, end) => exports.hasAdjacentObjects(start, end) !== 0,
    splitLines(start, end) {
      exports.splitLines(start, end)
      return { start: exports.linesStart(), end: exports.linesEnd() }
    },
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

/** Reserves the regions of the memory, and returns the addresses of the builders. */
function reserve(exports: Exports, tableAt: number, options: ModuleOptions, paths: MetadataPaths): number[] {
  const { maxLines, maxLineBytes, batchRows, batchBytes, columnsOf = hotColumns } = options
  exports.setSizes(tableAt, maxLines, maxLineBytes, batchRows, batchBytes)
  exports.reserveScratch()
  exports.reserveMemberNames()
  exports.reserveProjects()
  return addBuilders(exports, columnsOf, paths)
}
