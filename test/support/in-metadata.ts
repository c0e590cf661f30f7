import { hotColumns } from '../../src/common/columns.js'
import type { SourceName } from '../../src/common/sources.js'
import { valueIn } from './records.js'

/**
 * Returns the bit set of a row with this stored metadata, in the simplest way: bit i is set if the value of hot column
 * i has another type than the column, or is an integer of 16 or more digits.
 */
export function bitsInMetadata(source: SourceName, metadata: string): number {
  // JSON.parse would lose the spelling of a number. No column holds a boolean.
  const marked = metadata.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    /^-?\d{16,}$/.test(token) ? 'true' : token,
  )
  const parsed = JSON.parse(marked)
  const bits = hotColumns(source).map(({ kind, path }, i) => {
    const value = valueIn(parsed, path)
    const type = kind === 'number' ? 'number' : 'string'
    return kind === 'areas' || value === undefined || typeof value === type ? 0 : 2 ** i
  })
  return bits.reduce((sum, bit) => sum + bit, 0)
}
