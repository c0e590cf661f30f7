import type { Row } from '../../engine/engine.js'
import type { AnswerColumn } from '../../engine/plan.js'

/** A part of an answer: text that is sent as UTF-8, or bytes. */
export type Chunk = string | Uint8Array

/** Spells the rows of one answer, in their order. A piece may be empty. */
export interface Encoder {
  /** What stands before the first row. */
  readonly begin: Chunk
  /** What a row adds. */
  row(row: Row): Chunk
  /** What stands behind the last row. */
  end(): Chunk
  /** The bytes that are added behind the last row, at least. */
  readonly endBytes: number
}

/** A way to spell answers. */
export interface Format {
  readonly name: 'json' | 'ndjson' | 'csv' | 'arrow'
  encoder(columns: readonly AnswerColumn[]): Encoder
}
