import type { Block } from '../../../arrow-ipc/file.js'
import { BITMAP_BYTES, type GramFilter } from '../../execute/columns/grams.js'
import { bytesOf } from './hot-buffers.js'

/** A run of bytes in a file of columns that is read and checked as a whole. */
export interface Piece {
  offset: number
  bytes: number
  /** The CRC-32 of the bytes. */
  crc: number
}

/** The pieces of a column: all bytes that have to be read for the column. A piece that the column lacks has 0 bytes. */
interface ColumnPieces {
  /** The buffers of the column in the record batch. */
  buffers: Piece
  /** The dictionary batch of the column, message and body. */
  dictionary: Piece
  /** The gram filter of the column, see {@link encodeGrams}. */
  grams: Piece
}

/**
 * Data of a file of columns that Arrow's format has no place for: where each piece is, so that a column is read and
 * checked without the others, and the gram filters' places. The filters are stored after the record batch, which other
 * tools ignore: computing the filters again would take longer than reading the rest of the file. No piece covers the
 * start of the file: the start repeats the schema of the end, and is not read.
 */
export interface ColumnAside {
  /** The message of the record batch, without the body. */
  message: Piece
  /** In the order of the schema. */
  columns: readonly ColumnPieces[]
  /** A piece of the file as a whole, which only path files have. */
  extra?: Piece | undefined
}

/** The aside of version 1: a single checksum of all bytes before the end, and the place of each own column's filter. */
export interface FirstAside {
  crc: number
  grams: readonly { offset: number; blocks: number }[]
}

/** The piece that a column lacks. */
export const NO_PIECE: Piece = { offset: 0, bytes: 0, crc: 0 }

/** Encodes the data as 32-bit integers, three for each piece. */
export function encodeAside({ message, columns, extra }: ColumnAside): Buffer {
  const ofColumns = columns.flatMap(({ buffers, dictionary, grams }) => [buffers, dictionary, grams])
  const pieces = [message, ...ofColumns, ...(extra === undefined ? [] : [extra])]
  return Buffer.from(Uint32Array.from(pieces.flatMap(({ offset, bytes, crc }) => [offset, bytes, crc])).buffer)
}

/** Decodes the bytes that {@link encodeAside} returned. */
export function decodeAside(aside: Buffer): ColumnAside {
  const numbers = integersOf(aside)
  const pieceAt = (i: number): Piece => ({
    offset: numbers[3 * i],
    bytes: numbers[3 * i + 1],
    crc: numbers[3 * i + 2],
  })
  const ofColumns = numbers.length / 3 - 1
  const columns = Array.from({ length: Math.floor(ofColumns / 3) }, (_, i) => ({
    buffers: pieceAt(3 * i + 1),
    dictionary: pieceAt(3 * i + 2),
    grams: pieceAt(3 * i + 3),
  }))
  return { message: pieceAt(0), columns, extra: ofColumns % 3 === 1 ? pieceAt(ofColumns) : undefined }
}

/** Decodes the aside of a file of version 1. */
export function decodeFirstAside(aside: Buffer): FirstAside {
  const [crc, ...places] = integersOf(aside)
  const grams = Array.from({ length: places.length / 2 }, (_, i) => ({
    offset: places[2 * i],
    blocks: places[2 * i + 1],
  }))
  return { crc: crc!, grams }
}

const integersOf = (aside: Buffer) => new Uint32Array(new Uint8Array(aside).buffer)

/**
 * Returns the pieces of a file of version 1, without checksums: the file is checked as a whole.
 * `hasDictionary` tells for each column of the schema if the column has a dictionary. The dictionaries are in the order
 * of the columns.
 */
export function piecesOfFirst(
  { grams }: FirstAside,
  { offset, messageBytes, bodyBytes }: Block,
  dictionaries: readonly Block[],
  hasDictionary: readonly boolean[],
): ColumnAside {
  const buffers = { offset: offset + messageBytes, bytes: bodyBytes, crc: 0 }
  let used = 0
  const columns = hasDictionary.map((has, i): ColumnPieces => {
    const block = has ? dictionaries[used++] : undefined
    const filter = grams[i - FIRST_OWN]
    return {
      buffers,
      dictionary: block ? { ...block, bytes: block.messageBytes + block.bodyBytes, crc: 0 } : NO_PIECE,
      grams: filter?.blocks ? { offset: filter.offset, bytes: gramsBytes(filter.blocks), crc: 0 } : NO_PIECE,
    }
  })
  return { message: { offset, bytes: messageBytes, crc: 0 }, columns }
}

/** The index of the first own column in the schema, behind `timestamp` and `project`. */
export const FIRST_OWN = 2

/** Encodes a filter: the first entry of each block and the number of all entries, then the bits. */
export function encodeGrams({ firstEntries, bits }: GramFilter): Uint8Array[] {
  return [bytesOf(firstEntries), bits]
}

const ENTRY_BYTES = Uint32Array.BYTES_PER_ELEMENT
const gramsBytes = (blocks: number) => (blocks + 1) * ENTRY_BYTES + blocks * BITMAP_BYTES

/** Returns the filter of {@link encodeGrams}, copied. Undefined if there are no bytes. */
export function decodeGrams(piece: Buffer): GramFilter | undefined {
  if (piece.length === 0) return undefined
  const blocks = (piece.length - ENTRY_BYTES) / (ENTRY_BYTES + BITMAP_BYTES)
  const firstEntries = new Uint32Array(blocks + 1)
  const bits = new Uint8Array(blocks * BITMAP_BYTES)
  piece.copy(bytesOf(firstEntries))
  piece.copy(bits, 0, firstEntries.byteLength)
  return { firstEntries, bits }
}
