import { userInfo } from 'node:os'
import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../../src/base/errors.js'
import { currentUser, explainFileError } from '../../../src/base/files/file-errors.js'

const explain = (error: object) => explainFileError('data_dir_unusable', 'It cannot be written', '/data', error)
const systemError = (code: string, syscall: string, path?: string) =>
  Object.assign(new Error(`${code}: denied, ${syscall}${path ? ` '${path}'` : ''}`), { code, syscall, path })
const uid = process.getuid!()

describe('an error of the system at a file', () => {
  it.each([
    ['EACCES', 'open', `Give it to that user (chown -R ${uid} /data/rows), or start as the user who owns it.`],
    ['EPERM', 'open', `Give it to that user (chown -R ${uid} /data/rows), or start as the user who owns it.`],
    [
      'EACCES',
      'mkdir',
      `Make it for that user (mkdir -p /data/rows && chown -R ${uid} /data/rows), or choose another place.`,
    ],
    ['EROFS', 'open', 'Its file system is mounted read-only: mount it writable, or choose another place.'],
    ['ENOTDIR', 'mkdir', 'A part of this path is a file: remove that file, or choose another place.'],
    [
      'ENOENT',
      'mkdir',
      'Something on this path is missing: a mount, or the target of a symbolic link. Add it, or choose another place.',
    ],
    ['ENOSPC', 'write', 'Its disk is full: free some space, or choose another place.'],
    ['EIO', 'read', 'Check the disk, or choose another place.'],
  ])('names the file, the user and the remedy: %s in %s', (code, syscall, remedy) => {
    expect(explain(systemError(code, syscall, '/data/rows'))).toMatchObject({
      name: 'LogweirError',
      code: 'data_dir_unusable',
      message:
        `It cannot be written: ${code}: denied, ${syscall} '/data/rows'. ` +
        `This process runs as ${currentUser()}. ${remedy}`,
    })
  })

  it('names the place if the system names no file', () => {
    expect(explain(systemError('ENOSPC', 'write')).message).toContain("ENOSPC: denied, write '/data'. ")
  })

  it('is left alone if it is ours, or no error of the system', () => {
    for (const error of [new LogweirError('usage', 'wrong'), new TypeError('a defect')])
      expect(explain(error)).toBe(error)
  })

  it('names the user by number and name', () => {
    expect(currentUser()).toBe(`uid ${uid} (${userInfo().username})`)
  })
})
