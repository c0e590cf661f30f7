import { describe, it } from 'vitest'
import { expectUnderCeiling } from '../support/ceiling.js'
import { temporaryFolder } from '../support/program.js'

describe('M1: ten times the memory limit is taken in within the limit and a quarter', () => {
  it('and kept, with a data directory', () => expectUnderCeiling(512, ['--data-dir', temporaryFolder()]))

  it('of which the newest is kept, in memory', () => expectUnderCeiling(512, ['--in-memory']))

  it('and kept, while fields and messages are read', () =>
    expectUnderCeiling(512, ['--data-dir', temporaryFolder()], ['fields', 'texts', 'messages', 'newest']))

  it('of which the newest is kept, in memory, while fields and messages are read', () =>
    expectUnderCeiling(512, ['--in-memory'], ['fields', 'texts', 'messages', 'newest']))
})
