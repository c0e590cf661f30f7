import { DEFAULT_FIELD_NAMES, type FieldNames } from '../../common/field-names.js'
import { nameOfSource, ownSourceNames, SOURCE_NAMES, type SourceName } from '../../common/sources.js'
import type { RecordNames } from '../../masking/lines/mask-line.js'
import type { Masker } from '../../masking/lines/masker.js'
import type { Triggers } from '../../masking/lines/triggers.js'
import {
  ABSENT,
  ESCAPED_STRING,
  FIELD_INTS,
  HEADER_INTS,
  LINE_INTS,
  PROJECT,
  SOURCE,
  STRING,
  TIMES,
} from '../../wasm-layout/field-table.js'
import { OK } from '../../wasm-layout/outcomes.js'
import type { LineDefaults, Module } from '../wasm/module.js'
import { timestampOfText } from '../wasm/timestamp.js'

/** Masks records of the table of a module. */
export interface RecordMasker {
  /**
   * Writes the masked record of a line to `module.replacement`. Returns its length, 0 if there is nothing to mask; more
   * than `maxLineBytes` if the masked record is too long, and not written.
   */
  mask(module: Module, index: number, maxLineBytes: number): number
  /** Sets the defaults of the lines from now on. */
  setDefaults(defaults: LineDefaults): void
}

/** The rules for the lines of a parser. */
interface RecordMaskerOptions {
  defaults?: LineDefaults
  acceptsUnreadableTimes?: boolean | undefined
}

/** Names of fields of the record that stay as they are, besides those of the time and the message. */
const KNOWN = ['id', 'source', 'project', 'metadata']

/** Returns a masker of records. `masker` returns the rules in force. */
export function createRecordMasker(
  masker: () => Masker | undefined,
  { defaults = {}, acceptsUnreadableTimes = false }: RecordMaskerOptions,
): RecordMasker {
  let defaultSource: SourceName | undefined
  let timeNames = 0
  let names: RecordNames

  function setDefaults({ source, fieldNames = DEFAULT_FIELD_NAMES }: LineDefaults): void {
    defaultSource = source
    timeNames = fieldNames.time.length
    names = namesOf(fieldNames)
  }
  setDefaults(defaults)

  /** The triggers that are set in a module. */
  const set = new WeakMap<Module, Triggers>()

  function hasTrigger(module: Module, { triggers }: Masker, index: number): boolean {
    if (triggers.isAny) return true
    if (set.get(module) !== triggers) {
      module.setTriggers(triggers)
      set.set(module, triggers)
    }
    return module.hasTrigger(index)
  }

  function mask(module: Module, index: number, maxLineBytes: number): number {
    const rules = masker()
    const { table, replacement } = module
    const row = index * LINE_INTS
    if (rules === undefined || table[row] !== OK || !hasTrigger(module, rules, index)) return 0
    const bytes = replacement.memory()
    const base = module.bytes.byteOffset
    const named = sourceIn(bytes, base, table, row, defaultSource)
    const kept = [base + startOf(table, row, PROJECT)]
    if (named !== undefined) kept.push(base + startOf(table, row, SOURCE))
    const time = timeIn(bytes, base, table, row, timeNames, acceptsUnreadableTimes)
    if (time !== undefined) kept.push(base + time)
    const record = { bytes, start: base + table[row + 1]!, end: base + table[row + 2]!, kept }
    return rules.mask(record, named ?? defaultSource ?? '', names, replacement.at, maxLineBytes)
  }

  return { mask, setDefaults }
}

const namesOf = ({ time, message }: FieldNames): RecordNames => ({
  known: new Set([...KNOWN, ...time, ...message]),
  message: new Set(message),
})

const slotOf = (row: number, field: number) => row + HEADER_INTS + FIELD_INTS * field
const kindOf = (table: Int32Array, row: number, field: number) => table[slotOf(row, field)]!
const startOf = (table: Int32Array, row: number, field: number) => table[slotOf(row, field) + 1]!
const endOf = (table: Int32Array, row: number, field: number) => table[slotOf(row, field) + 2]!

/**
 * Returns the source that a record names. Undefined if it names none: with a default, a text that is neither one of the
 * nine nor configured is another field (wasm/batch/validate.ts).
 */
function sourceIn(
  bytes: Buffer,
  base: number,
  table: Int32Array,
  row: number,
  defaultSource: SourceName | undefined,
): SourceName | undefined {
  const kind = kindOf(table, row, SOURCE)
  if (kind !== STRING && kind !== ESCAPED_STRING) return undefined
  const raw = bytes.toString('utf8', base + startOf(table, row, SOURCE), base + endOf(table, row, SOURCE))
  const text = kind === STRING ? raw : (JSON.parse(`"${raw}"`) as string)
  const name = nameOfSource(text)
  if ((SOURCE_NAMES as readonly string[]).includes(name)) return name
  if (defaultSource === undefined) return text.toLowerCase()
  return ownSourceNames().includes(text) ? text : undefined
}

/** Returns where the time of a record starts. Undefined if it cannot be read, and is kept as another field. */
function timeIn(
  bytes: Buffer,
  base: number,
  table: Int32Array,
  row: number,
  names: number,
  acceptsUnreadableTimes: boolean,
): number | undefined {
  for (let field = TIMES; field < TIMES + names; field++) {
    const kind = kindOf(table, row, field)
    if (kind === ABSENT) continue
    const start = startOf(table, row, field)
    if (!acceptsUnreadableTimes || (kind !== STRING && kind !== ESCAPED_STRING)) return start
    return Number.isNaN(timestampOfText(bytes, base + start, base + endOf(table, row, field))) ? undefined : start
  }
  return undefined
}
