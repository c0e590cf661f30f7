import { expect } from 'vitest'
import { AREAS, type HotColumn, hotColumns } from '../../src/common/columns.js'
import type { SourceName } from '../../src/common/sources.js'
import { columnNameOf, quotedTable } from '../../src/engine/clickhouse/schema/table-names.js'
import { bitsInMetadata } from '../support/in-metadata.js'
import { numberAt, type TestRecord, textAt } from '../support/records.js'
import type { Target } from './targets.js'

const ALL = 2 ** 32 - 1

/**
 * Returns the hot columns of a record as stored in the table, with `in_metadata`. If not `isWhole`, returns the columns
 * of a row that was inserted without the columns of fields.
 */
export function expectedColumns({ source, metadata }: TestRecord, isWhole = true): Record<string, unknown> {
  const hot = hotColumns(source)
  const values = hot.map((column) => [
    columnNameOf(column),
    isWhole || !column.isFieldOnly ? columnValue(column, metadata) : null,
  ])
  const isEmpty = ({ kind, path, isFieldOnly }: HotColumn) =>
    kind === 'category' && !isFieldOnly && textAt(metadata, path) === ''
  const empty = hot.reduce((bits, column, i) => (isEmpty(column) ? bits + 2 ** i : bits), 0)
  const unknown = ALL - (2 ** hot.length - 1)
  const bits = isWhole ? (bitsInMetadata(source, metadata) | empty | unknown) >>> 0 : ALL
  return { ...Object.fromEntries(values), ...(hot.length > 0 && { in_metadata: bits }) }
}

function columnValue({ kind, path, isFieldOnly }: HotColumn, metadata: string): unknown {
  if (kind === 'number') return numberAt(metadata, path) ?? null
  const text = textAt(metadata, path)
  if (kind === 'areas') return AREAS.reduce((bits, area, i) => bits + (text?.includes(area) ? 2 ** i : 0), 0)
  return text ?? (kind === 'category' && !isFieldOnly ? '' : null)
}

/**
 * Returns the hot columns of the stored rows of a source and `in_metadata`, by id. Throws if two rows have the same id.
 */
export async function storedColumns(target: Target, source: SourceName): Promise<Map<string, Record<string, unknown>>> {
  const hot = hotColumns(source).map(columnNameOf)
  const names = hot.length === 0 ? [] : [...hot, 'in_metadata']
  const table = quotedTable(target.location, source)
  const rows = await target.servers[0]!.select(`SELECT ${['id', ...names].join(', ')} FROM ${table}`)
  const byId = new Map(
    rows.map(([id, ...values]) => [String(id), Object.fromEntries(values.map((value, i) => [names[i], value]))]),
  )
  expect(byId.size).toBe(rows.length)
  return byId
}
