import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { below, mulberry32 } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { type Served, serve, temporaryFolder, until } from '../support/program.js'
import { type Receiver, startReceiver, withoutRepeats } from './receiver.js'
import { alertFiles, FAILING, sendFailure } from './serve-alerts.js'

const KILLS = runs(50)
const OPS = '[ops]\nkind = "webhook"\nurl = { env = "HOOK" }\n'
const EVERY_MS = 2_000
const RULE = FAILING.replace('interval 10 second', 'interval 3 minute').replace('every 1s', 'every 2s')
const EVENTS = 'select id, state, labels.path as path from alert_events order by timestamp'

const isDelivered = ({ heard }: Receiver, status: string, paths: readonly string[]) => {
  const delivered = heard.filter((one) => one.status === 200).flatMap(({ alerts }) => alerts)
  return paths.every((path) => delivered.some((one) => one.status === status && one.labels.path === path))
}

it('tells each change once and in order, whenever the process is killed', { timeout: 600_000 }, async () => {
  const seed = testSeed()
  console.log(`alerts seed ${seed}`)
  const random = mulberry32(seed)
  // A third of the requests fails, and a third is cut after the body was read.
  const receiver = await startReceiver((number) => [500, 'close', 200][number % 3] as 500 | 'close' | 200)
  const dataDir = temporaryFolder()
  const { folder, args } = alertFiles({ failing: RULE }, OPS)
  const environment = { LOGWEIR_IN_MEMORY: '0', HOOK: receiver.url }
  const open = (): Promise<Served> => serve([...args, '--sql', '--data-dir', dataDir], { environment })
  const paths: string[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    const service = await open()
    for (let i = 0; i < 2; i++) {
      paths.push(`/${kill}/${i}`)
      await sendFailure(service, 'a', paths.at(-1)!)
    }
    // At the instants most happens.
    const untilInstantMs = EVERY_MS - (Date.now() % EVERY_MS)
    await wait(below(random, 3) === 0 ? below(random, 2 * EVERY_MS) : untilInstantMs + below(random, 200))
    service.child.kill('SIGKILL')
    await service.exit
  }
  const service = await open()
  await until(
    async () => isDelivered(receiver, 'firing', paths),
    (isDone) => isDone,
    90_000,
  )
  rmSync(join(folder, 'failing.sql'))
  await until(
    async () => isDelivered(receiver, 'resolved', paths),
    (isDone) => isDone,
    90_000,
  )
  const told = withoutRepeats(receiver.heard, 'path')
  for (const path of paths)
    expect(
      told.filter((one) => one.endsWith(` ${path}`)),
      `seed ${seed}`,
    ).toEqual([`firing ${path}`, `resolved ${path}`])
  expect(told.length, `seed ${seed}`).toBe(2 * paths.length)
  const events = await until(
    () => service.rows(`logs.all?project=a&limit=1000&sql=${encodeURIComponent(EVENTS)}`),
    (rows) => rows.length >= told.length,
  )
  expect(new Set(events.map(({ id }) => id)).size).toBe(told.length)
  expect(events.map(({ state, path }) => `${state} ${path}`).sort()).toEqual([...told].sort())
})
