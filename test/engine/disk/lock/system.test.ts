import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { areSocketsConclusive } from '../../../../src/engine/disk/lock/system.js'

describe.runIf(process.platform === 'linux')('a socket that refuses connections', () => {
  it.runIf(existsSync('/dev/shm'))('is proof on a file system of this kernel', async () => {
    expect(await areSocketsConclusive('/dev/shm')).toBe(true)
  })

  it('is no proof on others, nor if the file system cannot be asked', async () => {
    expect(await areSocketsConclusive('/proc')).toBe(false)
    expect(await areSocketsConclusive('/nonexistent/directory')).toBe(false)
  })
})
