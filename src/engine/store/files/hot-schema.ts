import {
  type DataType,
  Dictionary,
  Field,
  Float64,
  Schema,
  TimestampMicrosecond,
  Uint8,
  Uint16,
  Uint32,
  Utf8,
} from 'apache-arrow'
import { IN_METADATA } from '../../../common/columns.js'
import type { Column, InMetadata } from '../../execute/columns/batch.js'
import type { Codes } from '../../execute/columns/dictionary.js'
import { areShorts } from '../../execute/columns/numbers.js'

/**
 * Returns the Arrow schema of a hot file: `timestamp`, `project`, and the source's own hot columns. Texts are
 * dictionaries with codes of 1, 2 or 4 bytes. Numbers are `uint16` if all are small integers, else `float64`. Areas are
 * `uint8`. Bit sets, `in_metadata`, are the last column, unless no row has a bit.
 */
export function hotSchema(
  projects: Codes,
  columns: ReadonlyMap<string, Column>,
  { rows: bitSets }: InMetadata,
  metadata: Map<string, string>,
): Schema {
  const own = [...columns].map(([name, column], i) => new Field(name, typeOf(column, i + 1), column.kind !== 'areas'))
  return new Schema(
    [
      new Field('timestamp', new TimestampMicrosecond('UTC'), false),
      new Field('project', dictionaryType(projects, PROJECT_ID), true),
      ...own,
      ...(bitSets === undefined ? [] : [new Field(IN_METADATA, new Uint32(), false)]),
    ],
    metadata,
  )
}

/** The id of the dictionary of projects. The ids of own columns follow. */
export const PROJECT_ID = 0

function typeOf(column: Column, dictionaryId: number): DataType {
  if (column.kind === 'text') return dictionaryType(column.codes, dictionaryId)
  return column.kind === 'areas' ? new Uint8() : areShorts(column) ? new Uint16() : new Float64()
}

/** Returns the type of texts as codes, with the id of their dictionary. */
export function dictionaryType(codes: Codes, id: number): Dictionary {
  return new Dictionary(new Utf8(), indexType(codes), id)
}

function indexType(codes: Codes) {
  if (codes instanceof Uint8Array) return new Uint8()
  return codes instanceof Uint16Array ? new Uint16() : new Uint32()
}
