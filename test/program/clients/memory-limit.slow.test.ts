import { describe, it } from 'vitest'
import { expectWithinLimit, MODES } from '../support/memory-modes.js'

const FULL = { texts: 200, groups: 300_000, readers: 50, stayMs: 15_000 }
/** The environment of a service that is started as `node dist/cli.js`. */
const PLAIN = { MALLOC_MMAP_THRESHOLD_: undefined } as unknown as Record<string, string>

describe('M4: whatever clients ask for, the process stays within its memory limit and a quarter', () => {
  it.each([256, 512, 1024])('of %i MiB', (mib) => expectWithinLimit(mib, FULL, Object.keys(MODES)))

  it('of 256 MiB, started without an environment', () => expectWithinLimit(256, FULL, Object.keys(MODES), PLAIN))
})
