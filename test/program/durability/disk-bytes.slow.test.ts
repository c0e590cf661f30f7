import { describe, expect, it } from 'vitest'
import { AFTER_FLOOD, atFullSpeed, COMPACT, expectAtMost, fillBoth, slowly } from '../support/disk-bytes.js'

// test/engine/store/compaction/bytes.test.ts checks the same limits without waiting for a quiet moment.
describe('a full row on disk', () => {
  it('that comes at full speed is larger, and made smaller when it is quiet', async () => {
    const filled = await fillBoth(atFullSpeed)
    await expectAtMost(filled, AFTER_FLOOD)
    await expectAtMost(filled, COMPACT)
    for (const { service } of filled) service.child.kill('SIGTERM')
    for (const { service } of filled) expect(await service.exit).toBe(0)
  })

  it('that comes slowly is small at once', async () => {
    const filled = await fillBoth(slowly)
    for (const { service } of filled) service.child.kill('SIGTERM')
    await Promise.all(filled.map(({ service }) => service.exit))
    await expectAtMost(filled, COMPACT)
  })
})
