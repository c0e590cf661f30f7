import { it } from 'vitest'
import { expectUnharmed } from './slow-readers.js'

it('O5: 100 readers of 1 KiB a second cost little memory, and others do not notice', async () => {
  await expectUnharmed(4_000)
})
