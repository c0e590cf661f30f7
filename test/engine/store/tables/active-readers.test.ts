import { describe, expect, it } from 'vitest'
import { type ActiveReaders, createActiveReaders } from '../../../../src/engine/store/tables/active-readers.js'

/** Returns a function that returns whether the present readers have finished, after all ready tasks have run. */
function leaving({ drained }: ActiveReaders): () => Promise<boolean> {
  let isOver = false
  void drained().then(() => {
    isOver = true
  })
  return async () => {
    await new Promise(setImmediate)
    return isOver
  }
}

describe('readers', () => {
  it('have left where nobody came', async () => {
    const readers = createActiveReaders()
    expect(await leaving(readers)()).toBe(true)
    readers.enter()()
    expect(await leaving(readers)()).toBe(true)
  })

  it('have left when the last of them has, each once', async () => {
    const readers = createActiveReaders()
    const [first, second] = [readers.enter(), readers.enter()]
    const haveLeft = leaving(readers)
    first()
    first()
    expect(await haveLeft()).toBe(false)
    second()
    expect(await haveLeft()).toBe(true)
  })

  it('who come later are not waited for', async () => {
    const readers = createActiveReaders()
    const leave = readers.enter()
    const haveLeft = leaving(readers)
    const leaveLater = readers.enter()
    leave()
    expect(await haveLeft()).toBe(true)
    const later = leaving(readers)
    expect(await later()).toBe(false)
    leaveLater()
    expect(await later()).toBe(true)
  })
})
