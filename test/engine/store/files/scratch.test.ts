import { describe, expect, it } from 'vitest'
import { withScratch } from '../../../../src/engine/store/files/scratch.js'
import { createGate } from '../../../support/gate.js'

const MIB = 1024 * 1024

/** Returns the memory of a load that takes that many bytes, twice. */
const memoriesOf = (bytes: number) =>
  withScratch(async ({ take }) => [take(bytes), take(bytes)].map(({ buffer }) => buffer))

describe('the scratch of a load', () => {
  it('is memory of its own as long as the load lasts, also where there is some of loads before', async () => {
    await Promise.all([memoriesOf(100), memoriesOf(100)])
    const gate = createGate()
    const load = (mark: number) =>
      withScratch(async ({ take }) => {
        const pieces = [take(40), take(33)].map((piece) => piece.fill(mark))
        await gate.opened
        return pieces.every((piece) => piece.every((byte) => byte === mark))
      })
    const loads = [1, 2, 3].map(load)
    gate.open()
    expect(await Promise.all(loads)).toEqual([true, true, true])
  })

  it('is used again by the load that comes next, once it is as large as that needs', async () => {
    await memoriesOf(10_000)
    const [first, second] = await memoriesOf(10_000)
    expect(second).toBe(first)
    expect(await memoriesOf(10_000)).toEqual([first, first])
  })

  it('begins each piece where numbers of 8 bytes may stand', async () => {
    await memoriesOf(100)
    const places = await withScratch(async ({ take }) => [1, 8, 9, 3].map((bytes) => take(bytes).byteOffset % 8))
    expect(places).toEqual([0, 0, 0, 0])
  })

  it('stays as it was where a load takes much, or fails', async () => {
    await memoriesOf(100)
    const [before] = await memoriesOf(100)
    await memoriesOf(5 * MIB)
    await withScratch(() => Promise.reject(new Error('no'))).catch(() => {})
    expect((await memoriesOf(100))[0]).toBe(before)
  })
})
