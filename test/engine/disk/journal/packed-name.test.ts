import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createHeader,
  decodeHeader,
  encodeHeader,
  isStartOfHeader,
} from '../../../../src/engine/disk/journal/header.js'
import { packName, unpackName } from '../../../../src/engine/disk/journal/packed-name.js'
import { runs } from '../../../support/runs.js'

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,62}$/)

describe('a packed name', () => {
  it('has at most 42 bytes, and reads back, with and without zeros behind', () => {
    const check = (text: string) => {
      const packed = Buffer.from(packName(text))
      expect(packed.length).toBe(2 * Math.ceil(text.length / 3))
      expect(unpackName(packed)).toBe(text)
      expect(unpackName(Buffer.concat([packed, Buffer.alloc(2)]))).toBe(text)
    }
    fc.assert(fc.property(name, check), { numRuns: runs(1000) })
    expect(packName('z'.repeat(63))).toHaveLength(42)
  })

  it('of other bytes is some text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 44 }), (bytes) => typeof unpackName(Buffer.from(bytes)) === 'string'),
      { numRuns: runs(1000) },
    )
  })
})

describe('the header of a journal of an own source', () => {
  it.each([1, 43, 44, 45, 63])('has the name of %i characters', (length) => {
    const header = createHeader('n'.repeat(length))
    const bytes = Buffer.from(encodeHeader(header))
    expect(decodeHeader(bytes, 'a')).toEqual({ header, damaged: [] })
    expect(isStartOfHeader(bytes)).toBe(true)
    // A version that knows no packed names refuses the file by its version.
    expect(bytes.readUInt16LE(6)).toBe(length > 44 ? 2 : 1)
  })
})
