import { describe, expect, it } from 'vitest'
import { openAroundErrors } from '../../../../src/engine/disk/files/around-errors.js'
import type { Files } from '../../../../src/engine/disk/files/files.js'
import { createModelFiles } from '../../../support/model-files.js'

const BLOCK = 4096
const CONTENT = Buffer.from(Array.from({ length: 10 * BLOCK + 100 }, (_, i) => 1 + (i % 250)))

/** Files with one file, of which reads of some blocks fail. Counts the reads. */
function withBadBlocks(bad: (block: number) => boolean, code = 'EIO') {
  const model = createModelFiles()
  model.put('d/f', CONTENT)
  const reads = { count: 0 }
  const files: Files = {
    ...model,
    async openToRead(path) {
      const file = await model.openToRead(path)
      return {
        ...file,
        async readAt(position, target) {
          reads.count++
          const end = Math.min(CONTENT.length, position + target.length)
          for (let at = position; at < end; at = (Math.floor(at / BLOCK) + 1) * BLOCK) {
            if (bad(Math.floor(at / BLOCK))) throw Object.assign(new Error(code), { code })
          }
          return file.readAt(position, target)
        },
      }
    },
  }
  return { files, reads }
}

async function readAll(files: Files, position = 0) {
  const file = await openAroundErrors(files, 'd/f')
  const target = Buffer.alloc(CONTENT.length - position)
  const read = await file.readAt(position, target)
  await file.close()
  return { read, target, stretches: file.unreadable.map(({ from, to }) => [from, to]) }
}

/** The content with zeros in the bad blocks. */
const around = (bad: (block: number) => boolean) =>
  Buffer.from(CONTENT.map((byte, at) => (bad(Math.floor(at / BLOCK)) ? 0 : byte)))

describe('a file with blocks that the disk cannot read', () => {
  it.each<[string, (block: number) => boolean]>([
    ['no block', () => false],
    ['the first block', (block) => block === 0],
    ['a block in the middle', (block) => block === 5],
    ['the last block', (block) => block === 10],
    ['every second block', (block) => block % 2 === 0],
    ['all blocks', () => true],
  ])('is read around %s', async (_, bad) => {
    for (const position of [0, 1, BLOCK - 1, BLOCK, 3 * BLOCK + 77]) {
      const { read, target, stretches } = await readAll(withBadBlocks(bad).files, position)
      expect([read, target.equals(around(bad).subarray(position))]).toEqual([CONTENT.length - position, true])
      const blocks = Array.from({ length: 11 }, (_, block) => block).filter((block) => (block + 1) * BLOCK > position)
      expect(stretches.length).toBe(blocks.filter(bad).length)
    }
  })

  it('is not read any more after 64 of them', async () => {
    const { files, reads } = withBadBlocks(() => true)
    const file = await openAroundErrors(files, 'd/f')
    const target = Buffer.alloc(CONTENT.length, 1)
    for (let i = 0; i < 20; i++) expect(await file.readAt(0, target)).toBe(CONTENT.length)
    expect(target.every((byte) => byte === 0)).toBe(true)
    expect(reads.count).toBeLessThan(64 + 20)
    expect(file.unreadable.length).toBeLessThanOrEqual(64 + 20)
  })

  it('rejects with errors of the system, and of a disk that fails', async () => {
    const { files } = withBadBlocks(() => true, 'ENOMEM')
    await expect(readAll(files)).rejects.toMatchObject({ code: 'ENOMEM' })
    const bad = withBadBlocks(() => true)
    const list = () => Promise.reject(new Error('no'))
    await expect(readAll({ ...bad.files, list })).rejects.toMatchObject({ code: 'EIO' })
  })
})
