import type { Yielder } from '../../../base/time-slices.js'
import { type Expression, pathOfField } from '../../../plan/expression.js'
import { FUNCTIONS } from '../../../plan/functions/table.js'
import type { Scalar } from '../../../plan/values/values.js'
import { rowAt, type Selection } from '../columns/selection.js'
import { addTextKey, type FieldColumn, isUnkept, textOfCode, valueOfCode } from '../fields/field-column.js'
import type { FieldReader, Keys } from '../fields/read-fields.js'
import type { Entries, Vector } from './vector.js'

/** A field of the record as an expression reads it: the path of its keys, and whether numbers are read as texts. */
export interface FieldUse {
  keys: Keys
  isText: boolean
}

const usesByExpression = new WeakMap<Expression, readonly FieldUse[]>()
const NO_USES: readonly FieldUse[] = []

/** Returns the fields of the record that expressions read; one that several of them share, once. */
export function fieldsIn(expressions: readonly Expression[]): readonly FieldUse[] {
  const uses = expressions.map(fieldsOf).filter((uses) => uses.length > 0)
  return uses.length <= 1 ? (uses[0] ?? NO_USES) : [...new Set(uses.flat())]
}

function fieldsOf(expression: Expression): readonly FieldUse[] {
  if (expression.kind !== 'call') return NO_USES
  const known = usesByExpression.get(expression)
  if (known !== undefined) return known
  const own = pathOfField(expression)
  const uses = own === undefined ? fieldsIn(expression.args) : [own]
  usesByExpression.set(expression, uses)
  return uses
}

/** The fields of a frame of stored rows. */
export interface LoadedFields {
  loadFields(fields: readonly FieldUse[], yieldIfDue: Yielder): Promise<void>
  field(field: FieldUse): Vector | undefined
}

/** The stored rows whose fields are loaded. */
interface StoredFields {
  reader: FieldReader
  selection: Selection
  /** The vector of the rows' metadata. */
  metadata(): Vector
  /** The vector of a field that has a column of its own. */
  declared(field: FieldUse): Vector | undefined
}

/** Returns the fields of stored rows; those without a column of their own are not loaded yet. */
export function createLoadedFields({ reader, selection, metadata, declared }: StoredFields): LoadedFields {
  const columns = new Map<string, FieldColumn>()
  const vectors = new Map<string, Vector | undefined>()
  const nameOf = ({ keys, isText }: FieldUse) => `${isText} ${JSON.stringify(keys)}`

  function vectorOf(field: FieldUse): Vector | undefined {
    const own = declared(field)
    const column = columns.get(JSON.stringify(field.keys))
    return own ?? (column && vectorOfColumn(column, selection, field, metadata))
  }

  return {
    async loadFields(fields, yieldIfDue) {
      const undeclared = fields.filter((field) => declared(field) === undefined)
      const missing = new Map(undeclared.map(({ keys }) => [JSON.stringify(keys), keys]))
      for (const key of columns.keys()) missing.delete(key)
      const read = missing.size === 0 ? [] : await reader.read([...missing.values()], selection, yieldIfDue)
      for (const [i, key] of [...missing.keys()].entries()) columns.set(key, read[i]!)
    },
    field(field) {
      const name = nameOf(field)
      const vector = vectors.get(name) ?? vectorOf(field)
      vectors.set(name, vector)
      return vector
    },
  }
}

/** The vector of a field whose values were read; those that are not kept are read from the metadata of their rows. */
function vectorOfColumn(
  column: FieldColumn,
  selection: Selection,
  { keys, isText }: FieldUse,
  metadata: () => Vector,
): Vector {
  const { hasUnkept, hasOnlyTexts } = column
  const snapshot = column.snapshot()
  const { codes, dictionary } = snapshot
  const values: Scalar[] = []
  const decode = (code: number): Scalar => (values[code] ??= valueOfCode(dictionary, code, isText))
  if (hasUnkept) {
    const fromMetadata = readFrom(metadata(), keys, isText)
    const at = (position: number) => {
      const code = codes[rowAt(selection, position)]!
      return isUnkept(code) ? fromMetadata(position) : decode(code)
    }
    return { at, isCold: true }
  }
  const texts: Pick<Entries, 'bytesOf' | 'addKey'> = {
    bytesOf: (code) => textOfCode(dictionary, code),
    addKey: (code, keys) => addTextKey(dictionary, code, keys),
  }
  return {
    at: (position) => decode(codes[rowAt(selection, position)]!),
    entries: { codes, valueOf: decode, ...(hasOnlyTexts && texts) },
    isCold: false,
  }
}

/** Reads a field from the metadata of a row that is loaded. */
function readFrom({ at }: Vector, keys: Keys, isText: boolean): (position: number) => Scalar {
  const { bind } = FUNCTIONS[isText ? 'field_text' : 'field']
  return bind([at, ...keys.map((key) => () => key)], [undefined, ...keys])
}
