import type { AnswerColumn, Row } from '../../plan/answer.js'

/** A part of an answer: text, which is sent as UTF-8, or bytes. */
export type Chunk = string | Uint8Array

/** Encodes the rows of an answer, in order. Chunks may be empty. */
export interface Encoder {
  /** Precedes the first row. */
  readonly begin: Chunk
  row(row: Row): Chunk
  /** Returns the chunk after the last row. */
  end(): Chunk
  /** The bytes of `end`, at least. */
  readonly endBytes: number
}

/** A format of answers. */
export interface Format {
  readonly name: 'json' | 'ndjson' | 'csv' | 'arrow'
  encoder(columns: readonly AnswerColumn[]): Encoder
}
