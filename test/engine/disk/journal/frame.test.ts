import { describe, expect, it } from 'vitest'
import { decodeFrameHeader, encodeFrame, frameBytes } from '../../../../src/engine/disk/journal/frame.js'

const marker = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)
const batch = { source: 'edge_logs' as const, rows: 3, ipc: Uint8Array.of(9, 9, 9, 9, 9) }
const encode = (position: number) => encodeFrame(marker, position, batch)

describe('a frame', () => {
  it('keeps its format', () => {
    expect(Buffer.concat(encode(4160)).toString('hex')).toBe(
      ['0102030405060708', '05000000', '03000000', '84e2f511', 'c69c80d4', '0909090909', '000000'].join(''),
    )
  })

  it('takes the payload as it is, and fills up to 8 bytes', () => {
    expect(encode(4160)[1]).toBe(batch.ipc)
    expect([0, 1, 7, 8, 9].map(frameBytes)).toEqual([24, 32, 32, 32, 40])
    for (const bytes of [0, 1, 7, 8, 9]) {
      const pieces = encodeFrame(marker, 0, { ...batch, ipc: new Uint8Array(bytes) })
      expect(Buffer.concat(pieces).length).toBe(frameBytes(bytes))
    }
  })

  it('is known at its own place, by its own marker, and whole', () => {
    const [header] = encode(4160) as [Buffer]
    expect(decodeFrameHeader(header, marker, 4160)).toMatchObject({ payloadBytes: 5, rows: 3 })
    expect(decodeFrameHeader(header, marker, 4168)).toBeUndefined()
    expect(decodeFrameHeader(header, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 9), 4160)).toBeUndefined()
    expect(decodeFrameHeader(header.subarray(0, 23), marker, 4160)).toBeUndefined()
  })
})
