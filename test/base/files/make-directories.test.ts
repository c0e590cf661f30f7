import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { makeDirectories } from '../../../src/base/files/make-directories.js'

describe('making directories', () => {
  it('is done if they are there', async () => {
    await makeDirectories('/')
    await makeDirectories(import.meta.dirname)
  })

  it.runIf(existsSync('/proc/self'))('ends where the system says ENOENT for whatever is made', async () => {
    await expect(makeDirectories('/proc/logweir/a/b')).rejects.toMatchObject({ code: 'ENOENT', path: '/proc/logweir' })
  })
})
