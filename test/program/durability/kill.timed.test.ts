import { describe, expect, it } from 'vitest'
import { expectAllKeptOver, ROWS_PER_SECOND } from '../support/kills.js'
import { feed, highestShown } from '../support/numbered.js'
import { serve, until } from '../support/program.js'

describe('a process that is killed while rows stream in', () => {
  it('D1: keeps every row that a query has shown, none twice', () => expectAllKeptOver(3))

  it('D1c: loses rows without a journal, so that the test above can fail', async () => {
    const service = await serve(['--in-memory'])
    const stopFeed = feed(service, 0, Date.now() * 1000 - 3600e6, ROWS_PER_SECOND)
    await until(
      () => highestShown(service),
      (shown) => shown > 0,
    )
    stopFeed()
    service.child.kill('SIGKILL')
    await service.exit
    expect(await highestShown(await serve(['--in-memory']))).toBe(-1)
  })
})
