import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { column, type Expression, pathOfField } from '../../../plan/expression.js'
import { FUNCTIONS } from '../../../plan/functions/table.js'
import { RawJson, type Scalar } from '../../../plan/values/values.js'
import type { Keys } from '../columns/field-path.js'
import { rowAt, type Selection } from '../columns/selection.js'
import { elementCount } from '../fields/element-count.js'
import {
  addTextKey,
  type FieldColumn,
  isUncached,
  MAX_VALUE_BYTES,
  textOfCode,
  valueOfCode,
} from '../fields/field-column.js'
import type { FieldReader } from '../fields/read-fields.js'
import type { Vector } from './vector.js'

/**
 * A field of the record as an expression reads the field: the path of keys, and whether numbers are read as texts. Or
 * the number of rows that an unnest makes of the field.
 */
export interface FieldUse {
  keys: Keys
  isText: boolean
  isCount?: true
}

/** The paths of columns with fields that may be fields of the record. */
export type ElementPaths = ReadonlyMap<string, { keys: Keys }>

/** Returns the field of the record that an expression reads. Undefined if the expression is no field of the record. */
export function fieldUseOf(expression: Expression, elements: ElementPaths): FieldUse | undefined {
  const own = pathOfField(expression)
  if (own !== undefined || elements.size === 0 || expression.kind !== 'call') return own
  const { fn, args } = expression
  const [json] = args
  const path = json?.kind === 'column' ? elements.get(json.name)?.keys : undefined
  if (path === undefined || (fn !== 'field' && fn !== 'field_text')) return undefined
  const inMetadata = pathOfField({ ...expression, args: [METADATA, ...args.slice(1)] })
  return inMetadata && { ...inMetadata, keys: [...path, ...inMetadata.keys] }
}

/** Returns the path of a list in the metadata. Undefined if the list is no field of the record. */
export function pathOfList(list: Expression, elements: ElementPaths): Keys | undefined {
  if (list.kind === 'column') return list.name === 'metadata' ? [] : elements.get(list.name)?.keys
  return fieldUseOf(list, elements)?.keys
}

const METADATA = column('metadata')

const usesByExpression = new WeakMap<Expression, readonly FieldUse[]>()
const NO_USES: readonly FieldUse[] = []
const NO_PATHS: ElementPaths = new Map()

/**
 * Returns the fields of the record that expressions read, also as fields of `elements`. A shared field is returned
 * once.
 */
export function fieldsIn(expressions: readonly Expression[], elements: ElementPaths): readonly FieldUse[] {
  const fieldsOf = elements.size === 0 ? fieldsOfExpression : (one: Expression) => fieldsOver(one, elements)
  const uses = expressions.map(fieldsOf).filter((uses) => uses.length > 0)
  return uses.length <= 1 ? (uses[0] ?? NO_USES) : [...new Set(uses.flat())]
}

/** Not remembered: another batch may have other elements. An expression that others share is visited once. */
function fieldsOver(expression: Expression, elements: ElementPaths): readonly FieldUse[] {
  const found: FieldUse[] = []
  const seen = new Set<Expression>()
  const visit = (one: Expression) => {
    if (one.kind !== 'call' || seen.has(one)) return
    seen.add(one)
    const own = fieldUseOf(one, elements)
    if (own === undefined) one.args.forEach(visit)
    else found.push(own)
  }
  visit(expression)
  return found
}

function fieldsOfExpression(expression: Expression): readonly FieldUse[] {
  if (expression.kind !== 'call') return NO_USES
  const known = usesByExpression.get(expression)
  if (known !== undefined) return known
  const own = pathOfField(expression)
  const uses = own === undefined ? fieldsIn(expression.args, NO_PATHS) : [own]
  usesByExpression.set(expression, uses)
  return uses
}

/** The fields of a frame of stored rows. */
export interface LoadedFields {
  loadFields(fields: readonly FieldUse[], yieldIfDue: Yielder): Promise<void>
  field(field: FieldUse): Vector | undefined
}

/** The stored rows from which fields are loaded. */
interface StoredFields {
  reader: FieldReader
  selection: Selection
  /** The vector of the rows' metadata. */
  metadata(): Vector
  /** The vector of a field that has a column. */
  declared(field: FieldUse): Vector | undefined
}

/** Returns the fields of stored rows. Fields without a column are not loaded yet. */
export function createLoadedFields({ reader, selection, metadata, declared }: StoredFields): LoadedFields {
  const columns = new Map<string, FieldColumn>()
  const vectors = new Map<string, Vector | undefined>()
  const nameOf = ({ keys, isText, isCount }: FieldUse) => `${isText} ${isCount} ${JSON.stringify(keys)}`
  const columnName = ({ keys, isCount }: FieldUse) => JSON.stringify([isCount, ...keys])

  function vectorOf(field: FieldUse): Vector | undefined {
    const own = field.isCount ? undefined : declared(field)
    const column = columns.get(columnName(field))
    return own ?? (column && vectorOfColumn(column, selection, field, metadata))
  }

  return {
    async loadFields(fields, yieldIfDue) {
      const undeclared = fields.filter((field) => field.isCount || declared(field) === undefined)
      const missing = new Map(
        undeclared.map((field) => [columnName(field), { keys: field.keys, isCount: field.isCount === true }]),
      )
      for (const key of columns.keys()) missing.delete(key)
      const read = missing.size === 0 ? [] : await reader.read([...missing.values()], selection, yieldIfDue)
      for (const [i, key] of [...missing.keys()].entries()) columns.set(key, read[i])
    },
    field(field) {
      const name = nameOf(field)
      const vector = vectors.get(name) ?? vectorOf(field)
      vectors.set(name, vector)
      return vector
    },
  }
}

/** The vector of a field after the values were read. Values that are not cached are read from the metadata. */
function vectorOfColumn(
  column: FieldColumn,
  selection: Selection,
  { keys, isText, isCount }: FieldUse,
  metadata: () => Vector,
): Vector {
  const { hasUncached, hasOnlyTexts } = column
  const snapshot = column.snapshot()
  const { codes, dictionary } = snapshot
  const values: Scalar[] = []
  const decode = (code: number): Scalar => (values[code] ??= valueOfCode(dictionary, code, isText))
  if (hasUncached) {
    const fromMetadata = isCount ? countFrom(metadata(), keys) : readFrom(metadata(), keys, isText)
    const at = (position: number) => {
      const code = codes[rowAt(selection, position)]
      return isUncached(code) ? fromMetadata(position) : decode(code)
    }
    return { kind: 'computed', at, call: undefined, longest: undefined, isCold: true }
  }
  return {
    kind: 'entries',
    at: (position) => decode(codes[rowAt(selection, position)]),
    codes,
    codeCount: dictionary.count,
    valueOf: decode,
    bytesOf: hasOnlyTexts ? (code) => textOfCode(dictionary, code) : undefined,
    addKey: hasOnlyTexts ? (code, keys) => addTextKey(dictionary, code, keys) : undefined,
    stored: undefined,
    call: undefined,
    longest: () => MAX_VALUE_BYTES,
  }
}

/** Reads a field from the metadata of a row that is loaded. */
function readFrom({ at }: Vector, keys: Keys, isText: boolean): (position: number) => Scalar {
  if (keys.length === 0) return at
  const { bind } = FUNCTIONS[isText ? 'field_text' : 'field']
  return bind([at, ...keys.map((key) => () => key)], [undefined, ...keys])
}

/** Returns how many rows an unnest makes of a field of a row that is loaded. */
function countFrom(metadata: Vector, keys: Keys): (position: number) => Scalar {
  const read = readFrom(metadata, keys, false)
  return (position) => {
    const value = read(position)
    const bytes = value instanceof RawJson ? Buffer.from(value.text) : undefined
    const count = bytes === undefined ? 0 : elementCount(bytes, 0, bytes.length)
    return count === 0 ? null : count
  }
}
