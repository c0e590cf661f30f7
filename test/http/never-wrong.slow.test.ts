import { test } from 'vitest'
import { expectNeverWrong } from './never-wrong.js'

const STEPS = 10_000

test(`C2: in ${STEPS} random steps each cached answer equals the uncached one of the moment that its Age states`, async () => {
  await expectNeverWrong(STEPS)
}, 600_000)
