import { crc32 } from 'node:zlib'
import { decodeEnd, encodeEnd, endBytes } from '../../../../src/arrow-ipc/file.js'
import { BITMAP_BYTES } from '../../../../src/engine/execute/columns/grams.js'
import { decodeAside, FIRST_OWN } from '../../../../src/engine/store/files/column-aside.js'

/** Returns a hot file as in format 1: one checksum, and the places of the filters, each with its blocks. */
export function toFirstVersion(file: Buffer): Buffer {
  const end = decodeEnd(file.subarray(-endBytes(file)))!
  const front = inFirstVersion(file.subarray(0, -endBytes(file)))
  const facts = JSON.parse(end.schema.metadata.get('logweir.segment')!)
  end.schema.metadata.set('logweir.segment', JSON.stringify({ ...facts, version: 1 }))
  const places = decodeAside(end.aside)
    .columns.slice(FIRST_OWN)
    .flatMap(({ grams: { offset, bytes } }) => {
      return [offset, bytes === 0 ? 0 : (bytes - 4) / (BITMAP_BYTES + 4)]
    })
  const aside = Buffer.from(Uint32Array.of(crc32(front), ...places).buffer)
  return Buffer.concat([front, encodeEnd({ ...end, aside })])
}

/** Replaces the version in the schema at the start of a file. The length of the file stays the same. */
function inFirstVersion(front: Buffer): Buffer {
  const at = front.indexOf('{"version":2,')
  return Buffer.concat([front.subarray(0, at), Buffer.from('{"version":1,'), front.subarray(at + 13)])
}
