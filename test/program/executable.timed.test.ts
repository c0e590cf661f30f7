import { beforeAll, expect, it } from 'vitest'
import { EXECUTABLE_MS, executable } from './support/executable.js'
import { launch } from './support/program.js'

/** The specification's limit of a start. */
const START_MS = 500
const STARTS = 5

let path = ''
beforeAll(async () => {
  path = await executable()
}, EXECUTABLE_MS)

it(`the executable listens within ${START_MS} ms`, async () => {
  const times: number[] = []
  for (let i = 0; i < STARTS; i++) {
    const fromMs = performance.now()
    const program = launch([], { command: [path], stdin: 'ignore' })
    await program.waitForStderr(/listening on/)
    times.push(performance.now() - fromMs)
    program.child.kill('SIGTERM')
    await program.exit
  }
  expect(Math.min(...times)).toBeLessThan(START_MS)
})
