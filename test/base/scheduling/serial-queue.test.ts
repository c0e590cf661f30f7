import { describe, expect, it } from 'vitest'
import { createSerialQueue } from '../../../src/base/scheduling/serial-queue.js'

describe('turns', () => {
  it('run one after the other, also behind one that fails', async () => {
    const queue = createSerialQueue()
    const seen: string[] = []
    const task = (name: string, fails = false) =>
      queue.run(async () => {
        seen.push(`${name} begins`)
        await new Promise((resolve) => setImmediate(resolve))
        seen.push(`${name} ends`)
        if (fails) throw new Error(name)
        return name
      })
    const results = [task('a'), task('b', true)]
    const settled = queue.settled().then(() => seen.push('settled'))
    results.push(task('c'))
    expect((await Promise.allSettled(results)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    await settled
    expect(seen.filter((what) => what !== 'settled')).toEqual(
      ['a', 'b', 'c'].flatMap((n) => [`${n} begins`, `${n} ends`]),
    )
    expect(seen.indexOf('settled')).toBeGreaterThan(seen.indexOf('b ends'))
    expect(seen.indexOf('settled')).toBeLessThan(seen.indexOf('c ends'))
  })
})
