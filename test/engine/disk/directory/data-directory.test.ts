import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { currentUser } from '../../../../src/base/files/file-errors.js'
import { makeDataDirectory } from '../../../../src/engine/disk/directory/data-directory.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logweir-make-'))
})
afterEach(() => rmSync(root, { recursive: true }))

describe('making a data directory', () => {
  it.each([
    'data',
    'a/b/c',
    'a//b/',
    'a/./b/../c',
  ])('makes it and its parents, for the owner only: %s', async (path) => {
    await makeDataDirectory(join(root, path))
    await makeDataDirectory(`${root}/${path}`)
    expect(statSync(join(root, path)).mode & 0o777).toBe(0o700)
  })

  it('leaves one alone that is there, also behind a symbolic link', async () => {
    mkdirSync(join(root, 'there'), { mode: 0o755 })
    symlinkSync('there', join(root, 'link'))
    await makeDataDirectory(join(root, 'link'))
    await makeDataDirectory(join(root, 'link/below'))
    expect([statSync(join(root, 'there')).mode & 0o777, existsSync(join(root, 'there/below'))]).toEqual([0o755, true])
  })

  it.each([
    ['a file', 'ENOTDIR', (path: string) => writeFileSync(path, '')],
    ['a link to nothing', 'ENOENT', (path: string) => symlinkSync('/nonexistent/target', path)],
    ['a link to itself', 'ELOOP', (path: string) => symlinkSync(path, path)],
  ])('names path, user and remedy if a part of it is %s', async (_, errno, make) => {
    make(join(root, 'part'))
    for (const path of [join(root, 'part'), join(root, 'part/data'), join(root, 'part/a/b')]) {
      const error = await makeDataDirectory(path).catch((thrown) => thrown)
      expect(error).toMatchObject({ code: 'data_dir_unusable' })
      expect(error.message).toMatch(
        new RegExp(`^--data-dir ${path} cannot be written: ${errno}: .*'${root}/part.*'\\. `),
      )
      expect(error.message).toContain(`This process runs as ${currentUser()}. `)
      expect(error.message).toMatch(/, or choose another place\.$|: correct them/)
    }
  })

  it.runIf(existsSync('/proc/self'))(
    'ends where the system says ENOENT for whatever is made, as mounts do whose server has gone',
    async () => {
      for (const path of ['/proc/logweir', '/proc/logweir/data/below']) {
        await expect(makeDataDirectory(path)).rejects.toMatchObject({
          code: 'data_dir_unusable',
          message: expect.stringContaining("ENOENT: no such file or directory, mkdir '/proc/logweir'"),
        })
      }
    },
  )
})
