import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US, MINUTE_US } from '../../../src/base/units.js'
import type { ViewDefinition } from '../../../src/views/definition/definition.js'
import type { Call, Fault } from '../../support/model-files.js'
import { below, mulberry32, oneOf, type Random } from '../../support/random.js'
import { database, edge, type TestRecord } from '../../support/records.js'
import { costlyRuns } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { define, expectView, idsIn, openWorld, type World } from './world.js'

const KEEP_US = 8 * DAY_US
const RETENTION_US = 4 * DAY_US

const TEXTS = [
  `select timestamp_trunc(timestamp, hour) as hour, metadata.k as k, count(*) as n, sum(metadata.v) as s,
    min(metadata.v) as least, max(metadata.v) as most from edge_logs group by hour, k`,
  `select timestamp_trunc(timestamp, day) as day, count(metadata.v) as n, countif(metadata.k = '__proto__') as protos,
    approx_count_distinct(metadata.k) as different, approx_quantiles(metadata.v, 4) as quarters, avg(metadata.v) as mean
    from (select * from edge_logs union all select * from postgres_logs) group by day`,
  `select timestamp_trunc(timestamp, minute) as minute, event_message as text, count(*) as n
    from postgres_logs where event_message != 'x' group by minute, text`,
]
const NAMES = ['v', 'w']
const KEYS = ['/', '/a', '__proto__', 'constructor', '…', '', null, 7, true, '7']
const VALUES = [0, 1, 2.5, -3, 4.25, null, '7', 'NaN', true, { a: 1 }]
const PROJECTS = ['a', 'b', '__proto__', '', null]

const FAULTS: readonly (readonly Call[] | undefined)[] = [undefined, ['remove'], ['rename'], ['syncDirectory', 'sync']]

/** The rows that each view got, by identity: all of the store when the view came, and all later rows. */
type Known = Map<string, { view: ViewDefinition; ids: Set<string> }>

/** A random run of a service. */
class Run {
  readonly #random: Random
  readonly #world: World
  readonly #known: Known = new Map()
  #current: Record<string, string> = {}
  #ids = 0
  readonly steps: string[] = []

  constructor(random: Random, world: World) {
    this.#random = random
    this.#world = world
  }

  async step(): Promise<void> {
    const steps = [
      'append',
      'append',
      'append',
      'seal',
      'work',
      'time',
      'restart',
      'kill',
      'die',
      'die',
      'cut',
      'views',
    ]
    const step = oneOf(this.#random, steps)
    this.steps.push(step)
    if (step === 'append') await this.#append()
    else if (step === 'views') await this.#changeViews()
    else if (step === 'restart') await this.#world.restart('close')
    else if (step === 'kill') await this.#kill()
    else if (step === 'die') await this.#die()
    else if (step === 'cut') await this.#cutPower()
    else await this.#do(step)
    await this.#check()
  }

  async #do(step: string): Promise<void> {
    const { engine, work, clock } = this.#world
    if (step === 'seal') await engine.seal()
    if (step === 'work') await work.finish()
    if (step !== 'time') return
    // Within an hour of running time the files of days that are no longer kept are deleted too.
    const hours = oneOf(this.#random, [0, 1, 2, 24])
    clock.setNowUs(clock.nowUs() + hours * HOUR_US)
    for (let minutes = 0; minutes < 70; minutes += 10) {
      clock.advance(10 * 60_000)
      await work.finish()
    }
  }

  /** The process ends at a random call of the disk during a step. */
  async #die(): Promise<void> {
    await this.#append()
    await this.#world.engine.seal()
    const only = oneOf(this.#random, FAULTS)
    const after = below(this.#random, only === undefined ? 60 : 8)
    const step = oneOf(this.#random, ['seal', 'work', 'work', 'time'])
    await this.#dieIn(step, { after, share: this.#random(), ...(only !== undefined && { only }) })
    // Writes that the dead process has not synced may be lost later.
    if (below(this.#random, 3) === 0) await this.#cutPower()
  }

  async #dieIn(step: string, fault: Omit<Fault, 'code'>): Promise<void> {
    const { files } = this.#world
    files.fail({ code: 'DIED', ...fault })
    this.steps.push(`  dies in ${step}`)
    let isDone = false
    const done = () => {
      isDone = true
    }
    this.#do(step).then(done, done)
    const isDead = () =>
      files.list('').then(
        () => false,
        () => true,
      )
    while (!isDone && !(await isDead()));
    files.heal()
    await this.#kill()
  }

  async #kill(): Promise<void> {
    await this.#world.restart('kill')
    await this.#addStored()
  }

  /** Segments that were dropped may come back, and are then new to a view that came after the drop. */
  async #addStored(): Promise<void> {
    const stored = await idsIn(this.#world.engine)
    for (const view of this.#views()) for (const id of stored) this.#known.get(view.identity)!.ids.add(id)
  }

  /** Waits until the files of all dropped segments are deleted. A segment that a power cut has damaged stays. */
  async #settleDrops(): Promise<void> {
    const { engine, files } = this.#world
    const onDisk = () => files.paths().filter((path) => path.endsWith('/hot.arrow')).length
    const live = () => engine.stats().reduce((sum, { segments }) => sum + segments, 0)
    for (let turns = 0; onDisk() > live() && turns < 500; turns++) await files.list('')
  }

  /** Rows of journals may be lost. Rows that are in files of views, or whose segments are, stay. */
  async #cutPower(): Promise<void> {
    const before = await idsIn(this.#world.engine)
    await this.#world.restart(this.#random)
    const after = await idsIn(this.#world.engine)
    for (const id of before) if (!after.has(id)) for (const { ids } of this.#known.values()) ids.delete(id)
    await this.#addStored()
  }

  async #append(): Promise<void> {
    const records = Array.from({ length: 1 + below(this.#random, 8) }, () => this.#record())
    await this.#world.append(records)
    for (const view of this.#views()) for (const { id } of records) this.#known.get(view.identity)!.ids.add(id)
  }

  #record(): TestRecord {
    const random = this.#random
    const ago = oneOf(random, [0, HOUR_US, DAY_US, below(random, 10) * DAY_US, -HOUR_US, -2 * DAY_US])
    const metadata = { k: oneOf(random, KEYS), v: oneOf(random, VALUES) }
    return oneOf(random, [edge, edge, database])({
      id: `${this.#ids++}`,
      timestampUs: this.#world.clock.nowUs() - ago - below(random, 3) * MINUTE_US,
      project: oneOf(random, PROJECTS),
      event_message: oneOf(random, ['x', 'y', '__proto__']),
      metadata,
    })
  }

  async #changeViews(): Promise<void> {
    const { engine } = this.#world
    // A segment that comes back during the change may be in the old version, or not.
    await this.#settleDrops()
    const name = oneOf(this.#random, NAMES)
    const { [name]: _, ...others } = this.#current
    this.#current = below(this.#random, 3) === 0 ? others : { ...others, [name]: oneOf(this.#random, TEXTS) }
    const before = new Set(this.#views().map(({ identity }) => identity))
    this.#world.setViews(this.#current, KEEP_US)
    this.steps.push(`  ${Object.entries(this.#current).map(([of, text]) => `${of} = ${TEXTS.indexOf(text)}`)}`)
    const stored = await idsIn(engine)
    for (const view of this.#definitions()) {
      const known = this.#known.get(view.identity)
      if (known === undefined) this.#known.set(view.identity, { view, ids: new Set(stored) })
      else if (!before.has(view.identity)) for (const id of stored) known.ids.add(id)
    }
    this.#before = this.#definitions()
    // A view without a file gets the rows that are stored at the change, and no later rows.
    if (below(this.#random, 2) === 0) await this.#dieIn('work', { after: below(this.#random, 40) })
    await this.#world.work.finish()
  }

  #before: ViewDefinition[] = []
  #views(): ViewDefinition[] {
    return this.#before
  }

  #definitions(): ViewDefinition[] {
    return Object.entries(this.#current).map(([name, text]) => define(text, name, KEEP_US))
  }

  /** Every view that there ever was has the rows that the view got, as far as it keeps them. */
  async #check(): Promise<void> {
    const project = oneOf(this.#random, [undefined, 'a', '__proto__'])
    for (const { view, ids } of this.#known.values()) {
      const records = this.#world.records.filter(({ id }) => ids.has(id))
      await expectView(this.#world, view, records, project)
    }
  }
}

describe('views of a service that works, dies and starts again', () => {
  const seed = testSeed()
  const services = costlyRuns(100)

  it(`have all rows ever accepted (seed ${seed})`, { timeout: 60_000 + 10_000 * services }, async () => {
    for (let i = 0; i < services; i++) {
      const random = mulberry32(seed + i)
      const world = await openWorld({ retentionUs: RETENTION_US }, { dayFiles: oneOf(random, [1, 2, 4]) })
      const run = new Run(random, world)
      try {
        for (let step = 0; step < 40; step++) await run.step()
      } catch (error) {
        expect.fail(`seed ${seed + i}: ${(error as Error).stack}\n${run.steps.join('\n')}`)
      }
      await world.close()
    }
  })
})
