import type { Column } from '../../execute/columns/batch.js'
import type { SegmentData } from '../segment/segment.js'
import { encodeColumnFile, type FileColumn } from './column-file.js'
import { factsToMetadata, type SegmentFacts } from './facts.js'
import { bytesOf, projectCodes, toColumn, toIndices, toTimestamps } from './hot-buffers.js'
import { hotSchema, PROJECT_ID } from './hot-schema.js'

/** Encodes the hot columns of a segment. Returns the content of the file in order. Yields during compression. */
export async function encodeHot(data: SegmentData, facts: SegmentFacts): Promise<Uint8Array[]> {
  const { rows, times, projects, columns, inMetadata } = data
  const codes = projectCodes(projects, rows)
  const schema = hotSchema(codes, columns, inMetadata, factsToMetadata(facts))
  const { content } = await encodeColumnFile(schema, rows, [
    { make: () => toTimestamps(times, rows) },
    { make: () => toIndices(codes), dictionary: { entries: projects.dictionary, id: PROJECT_ID } },
    ...[...columns.values()].map(ownColumn),
    ...(inMetadata.rows === undefined ? [] : [bitSets(inMetadata.rows)]),
  ])
  return content
}

function ownColumn(column: Column, i: number): FileColumn {
  const make = () => toColumn(column)
  if (column.kind !== 'text') return { make }
  return { make, dictionary: { entries: column.dictionary, id: PROJECT_ID + 1 + i }, grams: column.dictionary.grams }
}

const bitSets = (rows: Uint32Array): FileColumn => ({
  make: () => ({ nulls: 0, validity: new Uint8Array(0), values: bytesOf(rows) }),
})
