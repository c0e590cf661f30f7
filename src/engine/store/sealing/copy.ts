import type { Interner } from '../../../base/memory/interner.js'
import type { Dictionary } from '../../execute/columns/dictionary.js'
import type { OpenBatch, OpenBatchColumn } from '../../execute/open-batch/open-batch.js'
import { contentBytes, joinedPlaces, type Texts } from '../../execute/open-batch/texts.js'
import type { OpenColumn, OpenRows } from './seal.js'

const NO_BYTES = new Uint8Array(0)

/**
 * Copies the rows of a head for another thread, while queries keep reading the head. The bytes of the cold texts,
 * nearly all of a head, are left out: these bytes are sent separately.
 */
export function copyRows({ source, rows, minUs, maxUs, timestampsUs, columns, inMetadata, cold }: OpenBatch): OpenRows {
  const copied = [...columns].map(([name, column]) => [name, copyColumn(column, rows)] as const)
  return {
    source,
    rows,
    minUs,
    maxUs,
    timestampsUs: timestampsUs.slice(0, rows),
    columns: new Map(copied),
    inMetadata: inMetadata.mask === 0 ? { mask: 0 } : { mask: inMetadata.mask, rows: inMetadata.rows.slice(0, rows) },
    cold: joinedTexts(cold, rows, NO_BYTES),
  }
}

function copyColumn(column: OpenBatchColumn, rows: number): OpenColumn {
  if (column.kind === 'number') return { kind: 'number', values: column.values.slice(0, rows) }
  if (column.kind === 'areas') return { kind: 'areas', flags: column.flags.slice(0, rows) }
  if (column.kind === 'category') {
    return { kind: 'category', codes: column.codes.slice(0, rows), interner: copyEntries(column.interner) }
  }
  const { texts } = column
  return { kind: 'text', texts: joinedTexts(texts, rows, texts.bytes.slice(0, texts.usedBytes)) }
}

function copyEntries({ count, offsets, bytes, hasNewlines }: Interner): Dictionary {
  const copy = Buffer.allocUnsafeSlow(offsets[count])
  bytes.copy(copy, 0, 0, copy.length)
  return { count, offsets: offsets.slice(0, count + 1), bytes: copy, hasNewlines }
}

/** Returns a copy of texts, as a single piece with the given bytes. */
function joinedTexts(texts: Texts, rows: number, bytes: Uint8Array<ArrayBuffer>): Texts {
  return { ...texts, bytes, usedBytes: contentBytes(texts), places: joinedPlaces(texts, rows), adopted: [] }
}
