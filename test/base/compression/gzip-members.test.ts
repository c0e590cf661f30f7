import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createGzipMembers } from '../../../src/base/compression/gzip-members.js'
import { MIB } from '../../../src/base/units.js'
import { below, mulberry32, oneOf } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'

const [A, B] = [gzipSync('{"a":1}\n'), gzipSync('{"a":2}\n')]
const BOTH = '{"a":1}\n{"a":2}\n'
const ZEROS = Buffer.alloc(700)

/** Reads chunks to the end. Returns the content before the end or the error, and where that was. */
async function contentOf(chunks: readonly Uint8Array[]) {
  async function* read() {
    yield* chunks
  }
  const members = createGzipMembers()
  const parts: Buffer[] = []
  try {
    for await (const part of members.read(read())) parts.push(part)
    return { content: Buffer.concat(parts).toString(), at: members.at() }
  } catch (error) {
    return { content: Buffer.concat(parts).toString(), at: members.at(), error: (error as Error).message }
  }
}

const bytewise = (bytes: Uint8Array) => Array.from(bytes, (byte) => Uint8Array.of(byte))

describe('members of a gzip file', () => {
  it('are read one after the other, cut at every byte, with zeros behind the last', async () => {
    const empty = gzipSync('')
    const all = Buffer.concat([A, empty, B, ZEROS])
    const expected = { content: BOTH, at: all.length }
    const ends = all.length - ZEROS.length + 3
    for (let cut = 0; cut <= ends; cut++)
      expect(await contentOf([all.subarray(0, cut), all.subarray(cut)]), `cut at ${cut}`).toEqual(expected)
    expect(await contentOf(bytewise(all))).toEqual(expected)
  })

  it('are read in random chunks', async () => {
    const seed = testSeed()
    for (let run = 0; run < runs(50); run++) {
      const random = mulberry32(seed + run)
      const text = () => `${random()}`.repeat(below(random, oneOf(random, [3, 1_000, 60_000])))
      const texts = Array.from({ length: 1 + below(random, 4) }, text)
      const all = Buffer.concat(texts.map((one) => gzipSync(one)))
      const chunks: Buffer[] = []
      for (let at = 0; at < all.length; at += chunks.at(-1)!.length)
        chunks.push(all.subarray(at, at + 1 + below(random, oneOf(random, [9, 5_000, MIB]))))
      const { content, at, error } = await contentOf(chunks)
      expect([content === texts.join(''), at, error], `seed ${seed + run}`).toEqual([true, all.length, undefined])
    }
  })

  it('are an error if the last is cut at any byte', async () => {
    const all = Buffer.concat([A, B])
    for (let end = 1; end < all.length; end++) {
      if (end === A.length) continue
      const { content, error } = await contentOf([all.subarray(0, end)])
      expect([end, error]).toEqual([end, 'unexpected end of file'])
      expect(BOTH.startsWith(content)).toBe(true)
      if (end > A.length) expect(content).toContain('{"a":1}\n')
    }
  })

  it.each([
    ['text', Buffer.from('garbage'), 'incorrect header check'],
    ['a byte', Buffer.from('x'), 'unexpected end of file'],
    ['the start of a member', A.subarray(0, 1), 'unexpected end of file'],
    ['text behind zeros', Buffer.concat([ZEROS, Buffer.from('x')]), 'no gzip member begins here'],
    ['a member behind zeros', Buffer.concat([ZEROS, B]), 'no gzip member begins here'],
  ])('are an error if followed by %s', async (_, rest, error) => {
    const expected = { content: '{"a":1}\n', at: expect.any(Number), error }
    expect(await contentOf([A, rest])).toEqual(expected)
    expect(await contentOf(bytewise(Buffer.concat([A, rest])))).toEqual(expected)
    expect(await contentOf([Buffer.concat([A, rest])])).toMatchObject({ error })
  })

  it('never have other content than before, whichever bit is wrong', async () => {
    let errors = 0
    for (let bit = 0; bit < A.length * 8; bit++) {
      const damaged = Buffer.from(A)
      damaged[bit >> 3]! ^= 1 << (bit & 7)
      const { content, error } = await contentOf([damaged])
      if (error === undefined) expect(content, `bit ${bit}`).toBe('{"a":1}\n')
      else errors++
    }
    // The time, the system and a hint in the header may be anything.
    expect(errors).toBeGreaterThan(A.length * 8 - 60)
  })

  it('pass on the errors of their chunks, and leave the chunks if the reader leaves', async () => {
    let isLeft = false
    async function* read() {
      try {
        yield A
        for (;;) yield B
      } finally {
        isLeft = true
      }
    }
    for await (const part of createGzipMembers().read(read())) {
      expect(part.toString()).toBe('{"a":1}\n')
      break
    }
    await expect.poll(() => isLeft).toBe(true)
    async function* fail() {
      yield A
      throw new Error('the disk is gone')
    }
    const all = async () => {
      for await (const _ of createGzipMembers().read(fail()));
    }
    await expect(all()).rejects.toThrow('the disk is gone')
  })
})
