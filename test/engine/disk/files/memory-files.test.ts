import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDiskFiles, type Files } from '../../../../src/engine/disk/files/files.js'
import { createMemoryFiles } from '../../../../src/engine/disk/files/memory-files.js'
import { below, mulberry32, oneOf, type Random } from '../../../support/random.js'
import { runs } from '../../../support/runs.js'
import { testSeed } from '../../../support/seed.js'

const PATHS = ['a', 'd/a', 'd/b', 'd/e/a']
const DIRECTORIES = ['', 'd', 'd/e', 'none']

async function read(files: Files, path: string): Promise<string> {
  const file = await files.openToRead(path)
  const bytes = Buffer.alloc(file.bytes + 3)
  const filled = await file.readAt(0, bytes)
  const middle = Buffer.alloc(4)
  const inside = await file.readAt(2, middle)
  await file.close()
  return `${file.bytes} ${bytes.toString('latin1', 0, filled)} ${middle.toString('latin1', 0, inside)}`
}

async function write(files: Files, path: string, random: Random): Promise<void> {
  const file = await files.openToWrite(path)
  if (random() < 0.3) await file.truncate(below(random, 9))
  const pieces = Array.from({ length: below(random, 3) }, () => Buffer.from(String(below(random, 1e6))))
  await file.writeAt(below(random, 12), pieces)
  await file.sync()
  await file.close()
}

/** Does a random step, and returns its result. The same numbers give the same step. */
async function step(files: Files, random: Random): Promise<unknown> {
  const [path, other] = [oneOf(random, PATHS), oneOf(random, PATHS)]
  const kind = below(random, 5)
  if (kind === 0) return files.remove(oneOf(random, [...PATHS, 'd']))
  if (kind === 1) return files.rename(path, other)
  if (kind === 2) return read(files, path)
  if (kind === 3) return files.bytesBelow(oneOf(random, [...PATHS, 'd']))
  return write(files, path, random)
}

/** The outcome of a step: its value, or the code of the error. */
const outcomeOf = (work: Promise<unknown>) => work.catch(({ code }) => code)

describe('files in memory', () => {
  it(`are as files on a disk, seed ${testSeed()}`, async () => {
    const root = mkdtempSync(join(tmpdir(), 'logweir-files-'))
    try {
      const [disk, memory] = [createDiskFiles(root), createMemoryFiles()]
      for (let run = 0; run < runs(3000); run++) {
        await disk.makeDirectory('d/e')
        const [first, second] = [mulberry32(testSeed() + run), mulberry32(testSeed() + run)]
        const expected = await outcomeOf(step(disk, first))
        expect([run, await outcomeOf(step(memory, second))]).toEqual([run, expected])
        for (const directory of DIRECTORIES) {
          const names = await disk.list(directory)
          // An empty directory is not kept in memory.
          const kept = await Promise.all(
            names.map(async (name) => ((await disk.bytesBelow(join(directory, name))) > 0 ? name : undefined)),
          )
          const found = new Set(await memory.list(directory))
          for (const name of kept) if (name !== undefined) expect([run, found.has(name)]).toEqual([run, true])
          for (const name of found) expect(names).toContain(name)
        }
      }
    } finally {
      rmSync(root, { recursive: true })
    }
  })
})
