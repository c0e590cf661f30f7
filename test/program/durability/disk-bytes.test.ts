import { describe, it, vi } from 'vitest'
import { COMPACT, expectAtMost, fillBoth, slowly } from '../support/disk-bytes.js'

vi.setConfig({ testTimeout: 120_000 })

describe('a full row on disk', () => {
  it('that comes slowly is small at once', async () => {
    const filled = await fillBoth(slowly)
    for (const { service } of filled) service.child.kill('SIGTERM')
    await Promise.all(filled.map(({ service }) => service.exit))
    await expectAtMost(filled, COMPACT)
  })
})
