import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDiskFiles, type Files } from '../../../../src/engine/disk/files/files.js'

let root: string
let files: Files

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logweir-files-'))
  files = createDiskFiles(root)
})
afterEach(() => rmSync(root, { recursive: true }))

async function write(path: string, ...pieces: string[]) {
  const file = await files.openToWrite(path)
  await file.writeAt(
    0,
    pieces.map((piece) => Buffer.from(piece)),
  )
  await file.sync()
  await file.close()
}

describe('the file system below a directory', () => {
  it('writes pieces one behind the other, at any place, and keeps what is around them', async () => {
    await write('a', 'one, ', '', 'two')
    const file = await files.openToWrite('a')
    await file.writeAt(5, [Buffer.from('TW')])
    await file.close()
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('one, TWo')
    expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o600)
  })

  it('cuts a file', async () => {
    await write('a', 'one, two')
    const file = await files.openToWrite('a')
    await file.truncate(3)
    await file.close()
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('one')
  })

  it('reads what is there, and says how much that is', async () => {
    await write('a', 'one, two')
    const file = await files.openToRead('a')
    const target = new Uint8Array(5)
    expect([file.bytes, await file.readAt(0, target), Buffer.from(target).toString()]).toEqual([8, 5, 'one, '])
    expect([await file.readAt(5, target), Buffer.from(target).toString()]).toEqual([3, 'two, '])
    expect(await file.readAt(8, target)).toBe(0)
    await file.close()
  })

  it('makes, lists, moves and removes directories', async () => {
    await write('file', '')
    expect([await files.list('nowhere'), await files.list('file')]).toEqual([[], []])
    await files.remove('file')
    await files.makeDirectory('a/b')
    await files.makeDirectory('a/b')
    await write('a/b/c', 'text')
    expect(statSync(join(root, 'a/b')).mode & 0o777).toBe(0o700)
    await files.rename('a/b', 'a/d')
    await files.syncDirectory('a')
    expect([await files.list('a'), await files.list('a/d')]).toEqual([['d'], ['c']])
    await files.remove('a')
    await files.remove('a')
    expect(await files.list('')).toEqual([])
  })

  it.each<[string, () => void, string]>([
    ['a folder', () => mkdirSync(join(root, 'a')), 'EISDIR'],
    ['a named pipe', () => void execFileSync('mkfifo', [join(root, 'a')]), 'EINVAL'],
    ['a link to nothing', () => symlinkSync('nothing', join(root, 'a')), 'ENOENT'],
    ['a link to itself', () => symlinkSync('a', join(root, 'a')), 'ELOOP'],
    ['a device', () => symlinkSync('/dev/zero', join(root, 'a')), 'EINVAL'],
  ])('does not read %s in the place of a file', async (_, make, code) => {
    make()
    await expect(files.openToRead('a')).rejects.toMatchObject({ code, path: join(root, 'a') })
    await expect(files.openToRead('a')).rejects.toThrow(join(root, 'a'))
    expect(await files.bytesBelow('a')).toBe(0)
  })

  it('counts the bytes of a file, and of all below a folder', async () => {
    await files.makeDirectory('a/b')
    await write('a/b/c', 'four')
    await write('a/d', 'seventy')
    symlinkSync('/etc/passwd', join(root, 'a/e'))
    expect(await Promise.all(['a/b/c', 'a/b', 'a', '', 'z'].map(files.bytesBelow))).toEqual([4, 4, 11, 11, 0])
  })

  it('hands on the errors of the system', async () => {
    await expect(files.openToRead('a')).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(files.openToWrite('a/b')).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(files.rename('a', 'b')).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(files.syncDirectory('a')).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
