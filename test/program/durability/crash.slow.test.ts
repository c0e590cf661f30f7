import { describe, expect, it } from 'vitest'
import { dieWhileEvicting, dieWhileFed, makeSealed } from '../support/crash.js'

/** Far more calls than a run makes. */
const MOST_CALLS = 1000

/** Dies inside call 1, 2, … until there is no such call. Returns the number of calls. */
async function dieAtEach(dieAt: (n: number) => Promise<boolean>): Promise<number> {
  for (let n = 1; n < MOST_CALLS; n++) if (!(await dieAt(n))) return n - 1
  throw new Error(`it still dies at call ${MOST_CALLS}`)
}

describe('D5: the program, dead inside any write, rename or sync,', () => {
  it('has the rows of before or of after, while it takes rows and seals them', async () => {
    const calls = await dieAtEach(dieWhileFed)
    console.log(`D5 died at ${calls} calls`)
    expect(calls).toBeGreaterThan(60)
  })

  it('has each segment whole or not at all, while retention drops days', async () => {
    const sealed = await makeSealed()
    const calls = await dieAtEach((n) => dieWhileEvicting(sealed, n))
    console.log(`D5 died at ${calls} calls of an eviction`)
    expect(calls).toBeGreaterThanOrEqual(6)
  })
})
