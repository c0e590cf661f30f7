import { describe, expect, it } from 'vitest'
import { below, mulberry32 } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import { dieWhileEvicting, dieWhileFed, makeSealed } from '../support/crash.js'

const seed = testSeed()
const random = mulberry32(seed)

/** Returns a call number from each range of `length` calls. */
const oneOfEach = (stretches: number, length: number) =>
  Array.from({ length: stretches }, (_, i) => i * length + 1 + below(random, length))

describe('D5: the program, dead inside a write, rename or sync,', () => {
  it('has the rows of before or of after, while it takes rows and seals them', async () => {
    const calls = oneOfEach(2, 50)
    console.log(`D5 seed ${seed}, calls ${calls}`)
    for (const n of calls) expect(await dieWhileFed(n), `call ${n} is reached`).toBe(true)
  })

  it('has each segment whole or not at all, while retention drops days', async () => {
    const calls = oneOfEach(1, 6)
    console.log(`D5 seed ${seed}, calls ${calls} of an eviction`)
    const sealed = await makeSealed()
    for (const n of calls) expect(await dieWhileEvicting(sealed, n), `call ${n} is reached`).toBe(true)
  })
})
