import { test } from 'vitest'
import { expectNeverWrong } from './never-wrong.js'

const STEPS = 10_000

const CLAIM = 'each cached answer equals the uncached one of the moment that its Age states'

test(`C2: in ${STEPS} random steps ${CLAIM}`, async () => {
  await expectNeverWrong(STEPS)
}, 600_000)
