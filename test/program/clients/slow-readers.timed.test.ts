import { describe, it } from 'vitest'
import { expectUnharmed } from '../support/slow-readers.js'

describe('O5: 100 readers of 1 KiB a second cost little memory, and others do not notice', () => {
  it.each(['open', 'sealed'] as const)('where the rows lie in %s parts', (kept) => expectUnharmed(4_000, kept))
})
