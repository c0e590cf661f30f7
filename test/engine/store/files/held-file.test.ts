import { describe, expect, it } from 'vitest'
import type { ReadableFile } from '../../../../src/engine/disk/files/files.js'
import { damaged } from '../../../../src/engine/store/files/damage.js'
import { createHeldFile } from '../../../../src/engine/store/files/held-file.js'
import { createGate } from '../../../support/gate.js'
import { createMemoryFiles } from './memory-files.js'

function onDisk() {
  const opens: string[] = []
  const files = createMemoryFiles((what, path) => void (what === 'read' && opens.push(path)))
  files.contents.set('f', Buffer.from('abc'))
  const held = createHeldFile(files, 'f')
  const read = () => held.use((file) => textOf(file))
  return { files, held, opens, read }
}

async function textOf(file: ReadableFile): Promise<string> {
  const bytes = Buffer.alloc(file.bytes)
  await file.readAt(0, bytes)
  return bytes.toString()
}

const turn = () => new Promise(setImmediate)

describe('a file that is held', () => {
  it('is opened once while it is held, else for each read, and closed at the end', async () => {
    const { files, held, opens, read } = onDisk()
    expect([await read(), await read(), opens.length, files.open.count]).toEqual(['abc', 'abc', 2, 0])
    held.hold()
    expect([await read(), await read(), opens.length, files.open.count]).toEqual(['abc', 'abc', 3, 1])
    held.release()
    await turn()
    expect(files.open.count).toBe(0)
    expect([await read(), opens.length, files.open.count]).toEqual(['abc', 4, 0])
    held.hold()
    held.release()
    expect([opens.length, files.open.count]).toEqual([4, 0])
  })

  it('stays open for a read that is not done when it is released', async () => {
    const { files, held, read } = onDisk()
    held.hold()
    const gate = createGate()
    const slow = held.use(async (file) => {
      await gate.opened
      return textOf(file)
    })
    await turn()
    held.release()
    await turn()
    expect(files.open.count).toBe(1)
    expect(await read()).toBe('abc')
    gate.open()
    expect(await slow).toBe('abc')
    await turn()
    expect(files.open.count).toBe(0)
  })

  it('is opened again after damage, and read a second time', async () => {
    const { files, held, opens } = onDisk()
    held.hold()
    let reads = 0
    const read = () =>
      held.use(async (file) => {
        if (reads++ % 2 === 0) throw damaged('f', 'it was garbled')
        return textOf(file)
      })
    expect([await read(), await read(), opens.length]).toEqual(['abc', 'abc', 4])
    const always = held.use(() => Promise.reject(damaged('f', 'it is damaged')))
    await expect(always).rejects.toMatchObject({ code: 'damaged_segment' })
    await expect(held.use(() => Promise.reject(new Error('EMFILE')))).rejects.toThrow('EMFILE')
    files.contents.delete('f')
    await expect(read()).rejects.toThrow('it does not exist')
    held.release()
    await turn()
    expect(files.open.count).toBe(0)
  })
})
