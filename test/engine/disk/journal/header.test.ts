import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { SourceName } from '../../../../src/common/sources.js'
import { createHeader, decodeHeader, encodeHeader, FRAMES_START } from '../../../../src/engine/disk/journal/header.js'
import { NINE_AND_OWN } from '../../../support/own-source.js'

const marker = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)

/** A header with changed bytes and correct CRCs. */
function sealed(change: (copy: Buffer) => void): Buffer {
  const bytes = Buffer.from(encodeHeader({ source: 'edge_logs', marker }))
  for (const at of [0, 4096]) {
    const copy = bytes.subarray(at, at + 64)
    change(copy)
    copy.writeUInt32LE(crc32(copy.subarray(0, 60)), 60)
  }
  return bytes
}

describe('the header of a journal', () => {
  it('keeps its format', () => {
    const bytes = Buffer.from(encodeHeader({ source: 'edge_logs', marker }))
    const copy = `4c574a524e4c01000102030405060708${Buffer.from('edge_logs').toString('hex')}${'00'.repeat(35)}8cc111b1`
    expect([bytes.length, FRAMES_START]).toEqual([4160, 4160])
    expect(bytes.subarray(0, 64).toString('hex')).toBe(copy)
    expect(bytes.subarray(4096).toString('hex')).toBe(copy)
    expect(bytes.subarray(64, 4096).every((byte) => byte === 0)).toBe(true)
  })

  it('says its source and its marker, and is another for each file', () => {
    for (const source of NINE_AND_OWN) {
      const header = createHeader(source)
      expect(decodeHeader(Buffer.from(encodeHeader(header)), 'a')).toEqual({ header, damaged: [] })
    }
    expect(createHeader('edge_logs').marker).not.toEqual(createHeader('edge_logs').marker)
  })

  it('is read from the copy that is whole', () => {
    const header = { source: 'edge_logs' as SourceName, marker }
    for (const at of [0, 4096]) {
      const bytes = Buffer.from(encodeHeader(header))
      bytes[at + 9]! ^= 1
      expect(decodeHeader(bytes, 'a')).toEqual({ header, damaged: [at] })
    }
    expect(decodeHeader(Buffer.alloc(FRAMES_START), 'a')).toEqual({ header: undefined, damaged: [0, 4096] })
    expect(decodeHeader(Buffer.alloc(0), 'a')).toEqual({ header: undefined, damaged: [0, 4096] })
  })

  it('of a later version is refused by name', () => {
    const remedy = 'Start the version that wrote it, or remove the file and with it the rows in it.'
    const others = `reads other sources. ${remedy}`
    expect(() =>
      decodeHeader(
        sealed((copy) => copy.writeUInt16LE(3, 6)),
        'a/b',
      ),
    ).toThrow(
      expect.objectContaining({
        code: 'newer_format',
        message: `The journal a/b has format version 3, and this version of logweir reads up to 2. ${remedy}`,
      }),
    )
    expect(() =>
      decodeHeader(
        sealed((copy) => copy.write('X', 16)),
        'a/b',
      ),
    ).toThrow(
      expect.objectContaining({
        code: 'newer_format',
        message: `The journal a/b holds rows of "Xdge_logs", and this version of logweir ${others}`,
      }),
    )
  })
})
