import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createDiskFiles, type Files, type WritableFile } from '../../src/engine/disk/files/files.js'
import { type Call, createModelFiles, type Fault, type ModelFiles } from './model-files.js'
import { mulberry32 } from './random.js'
import { runs } from './runs.js'

// Many small runs, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 })

async function write(files: Files, path: string, text: string, position = 0) {
  const file = await files.openToWrite(path)
  await file.writeAt(position, [Buffer.from(text)])
  return file
}

async function read(files: Files, path: string): Promise<string> {
  const file = await files.openToRead(path)
  const target = Buffer.alloc(file.bytes + 1)
  const bytes = await file.readAt(0, target).finally(() => file.close())
  return target.toString('latin1', 0, bytes)
}

const peek = (files: ModelFiles, path: string) => files.peek(path)?.toString('latin1')

/** Every state that a power cut may leave, each once, sorted. */
async function statesAfterCut<T>(build: (files: ModelFiles) => Promise<unknown>, look: (files: ModelFiles) => T) {
  const states = new Set<string>()
  for (let seed = 0; seed < 300; seed++) {
    const files = createModelFiles()
    await build(files)
    states.add(JSON.stringify(look(files.cutPower(mulberry32(seed))) ?? null))
  }
  return [...states].sort()
}

interface Args {
  at: string
  to: string
  position: number
}

const isFile = (files: Files, path: string) =>
  read(files, path).then(
    () => true,
    () => false,
  )

async function withFile(files: Files, path: string, use: (file: WritableFile) => Promise<void>) {
  const file = await files.openToWrite(path)
  await use(file).finally(() => file.close())
}

const STEPS = {
  list: async (files: Files, { at }: Args) => (await files.list(at)).sort(),
  makeDirectory: (files: Files, { at }: Args) => files.makeDirectory(at),
  read: (files: Files, { at }: Args) => read(files, at),
  remove: (files: Files, { at }: Args) => files.remove(at),
  truncate: (files: Files, { at, position }: Args) => withFile(files, at, (file) => file.truncate(position)),
  write: (files: Files, { at, position }: Args) =>
    withFile(files, at, (file) => file.writeAt(position, [Buffer.from(at), Buffer.from('z')])),
  async syncDirectory(files: Files, { at }: Args) {
    await files.syncDirectory(at)
  },
  async rename(files: Files, { at, to }: Args) {
    // To a free name or that of a file, and not into itself: `Files` defines nothing else.
    const names = await files.list(dirname(to))
    const areFiles = (await isFile(files, at)) && (await isFile(files, to))
    if ((areFiles || !names.includes(basename(to))) && !to.startsWith(at)) await files.rename(at, to)
  },
}

describe('model files', () => {
  it('do what the real ones do, and fail where they do', async () => {
    const name = fc.constantFrom('a', 'b', 'd', 'd/a', 'd/e', 'd/e/a')
    const does = fc.constantFrom<keyof typeof STEPS>(...(Object.keys(STEPS) as (keyof typeof STEPS)[]))
    const step = fc.record({ does, at: name, to: name, position: fc.nat(9) })
    const run = (files: Files, { does, ...args }: Args & { does: keyof typeof STEPS }) =>
      // If both names of a rename are wrong, the error may be that of either.
      STEPS[does](files, args).catch(({ code }) => (code === 'ENOENT' && does !== 'rename' ? code : 'another error'))
    const property = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const root = mkdtempSync(join(tmpdir(), 'logweir-model-'))
      const [real, model] = [createDiskFiles(root), createModelFiles()]
      try {
        for (const each of steps) expect(await run(model, each)).toEqual(await run(real, each))
      } finally {
        rmSync(root, { recursive: true })
      }
    })
    await fc.assert(property, { numRuns: runs(500) })
  })

  it('keep what was synced, and of the rest a part, the whole or nothing', async () => {
    const synced = async (files: ModelFiles) => {
      const file = await write(files, 'a', 'AB')
      await file.sync()
      await files.syncDirectory('')
      return file
    }
    expect(await statesAfterCut(synced, (files) => peek(files, 'a'))).toEqual(['"AB"'])
    const unsynced = async (files: ModelFiles) => (await synced(files)).writeAt(2, [Buffer.from('CD')])
    const states = await statesAfterCut(unsynced, (files) => peek(files, 'a'))
    expect(states).toEqual(expect.arrayContaining(['"AB"', '"ABC"', '"ABCD"', '"AB\\u0000D"', '"AB\\u0000\\u0000"']))
    expect(states.every((state) => state.startsWith('"AB'))).toBe(true)
    const reordered = async (files: ModelFiles) => {
      const file = await synced(files)
      await file.writeAt(2, [Buffer.from('C')])
      await file.writeAt(3, [Buffer.from('D')])
      await file.truncate(1)
    }
    expect(await statesAfterCut(reordered, (files) => peek(files, 'a'))).toEqual(
      expect.arrayContaining(['"A"', '"AB"', '"ABC"', '"ABCD"', '"AB\\u0000D"']),
    )
  })

  it('keep names once their directory is synced, whatever became of the file', async () => {
    const only = (files: ModelFiles) => [peek(files, 'a'), peek(files, 'd/b')]
    const make = async (files: ModelFiles) => {
      await (await write(files, 'a', 'A')).sync()
      await files.makeDirectory('d')
    }
    expect(await statesAfterCut(make, only)).toEqual(['["A",null]', '[null,null]'])
    const move = async (files: ModelFiles) => {
      await make(files)
      await files.syncDirectory('')
      await files.rename('a', 'd/b')
    }
    expect(await statesAfterCut(move, only)).toEqual(['["A",null]', '[null,"A"]'])
    const moved = async (files: ModelFiles) => {
      await move(files)
      await files.syncDirectory('d')
    }
    expect(await statesAfterCut(moved, only)).toEqual(['[null,"A"]'])
    const remove = async (files: ModelFiles) => {
      await moved(files)
      await files.remove('d')
    }
    expect(await statesAfterCut(remove, only)).toEqual(['[null,"A"]', '[null,null]'])
    const half = async (files: ModelFiles) => {
      for (const path of ['d/a', 'd/b']) files.put(path, Buffer.from('x'))
      await files.remove('d')
    }
    expect(
      await statesAfterCut(half, (files) => files.peek('d/a') === undefined && peek(files, 'd/b') === 'x'),
    ).toContain('true')
  })

  it('do not sync what a failed sync has dropped, nor what was written after the call', async () => {
    const dropped = async (files: ModelFiles) => {
      files.put('a', Buffer.from('A'))
      const file = await write(files, 'a', 'B')
      files.fail({ code: 'EIO', after: 0 })
      await expect(file.sync()).rejects.toMatchObject({ code: 'EIO' })
      expect(peek(files, 'a')).toBe('B')
      await file.sync()
    }
    expect(await statesAfterCut(dropped, (files) => peek(files, 'a'))).toEqual(expect.arrayContaining(['"A"', '"B"']))
    const late = async (files: ModelFiles) => {
      files.put('a', Buffer.from('A'))
      const file = await files.openToWrite('a')
      await Promise.all([file.sync(), file.writeAt(0, [Buffer.from('B')])])
    }
    expect(await statesAfterCut(late, (files) => peek(files, 'a'))).toEqual(expect.arrayContaining(['"A"', '"B"']))
  })

  it('fail at the call that was said, once or for good, in part', async () => {
    const run = async (fault: Fault, calls = 4) => {
      const files = createModelFiles()
      const file = await write(files, 'a', '....')
      files.fail(fault)
      const results: string[] = []
      for (let i = 0; i < calls; i++) {
        results.push(
          await file.writeAt(i, [Buffer.from('xy')]).then(
            () => 'ok',
            (error) => error.code,
          ),
        )
      }
      files.heal()
      await file.writeAt(3, [])
      return [...results, peek(files, 'a')]
    }
    expect(await run({ code: 'EIO', after: 1 })).toEqual(['ok', 'EIO', 'ok', 'ok', 'xyxxy'])
    expect(await run({ code: 'ENOSPC', after: 2, forGood: true, share: 0.5 })).toEqual([
      'ok',
      'ok',
      'ENOSPC',
      'ENOSPC',
      'xxxx',
    ])
    expect(await run({ code: 'EIO', after: 0, only: ['sync'] as Call[] })).toEqual(['ok', 'ok', 'ok', 'ok', 'xxxxy'])
    expect(await run({ code: 'EIO', after: 0, share: 1 }, 1)).toEqual(['EIO', 'xy..'])
  })

  it('let a process die: what it wrote stays, and it does nothing more', async () => {
    const files = createModelFiles()
    const file = await write(files, 'a', 'A')
    const under = file.writeAt(1, [Buffer.from('B')]).catch((error) => error.code)
    files.fail({ code: 'DIED', after: 0 })
    await expect(file.writeAt(2, [Buffer.from('C')])).rejects.toMatchObject({ code: 'DIED' })
    expect(await under).toBe('DIED')
    files.heal()
    await expect(files.openToWrite('b')).rejects.toMatchObject({ code: 'DIED' })
    const next = files.restart()
    expect([await read(next, 'a'), await next.list('')]).toEqual(['A', ['a']])
    const late = next.openToWrite('b').catch((error) => error.code)
    expect([peek(next.restart(), 'b'), await late]).toEqual([undefined, 'DIED'])
  })
})
