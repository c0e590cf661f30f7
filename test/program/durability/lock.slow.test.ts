import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { NO_SOCKETS } from '../support/lock.js'
import { allNumbers, numberedLine } from '../support/numbered.js'
import { launch, type Served, serve, served, temporaryFolder, until } from '../support/program.js'

const START_US = (Date.now() - 3_600_000) * 1000
/** Ten checks of the lock file, and a check that reads the file back. */
const TAKEOVER_MS = 12_000
const STOPPED_MS = 30_000

const onMount = () => [['--data-dir', temporaryFolder()], { environment: NO_SOCKETS }] as const

async function write(service: Served, from: number, to: number) {
  for (let number = from; number < to; number++) service.child.stdin!.write(numberedLine(number, START_US))
  await until(
    () => service.metric('logweir_rows{source="edge_logs"}'),
    (rows) => rows >= to,
  )
}

const numbersTo = (end: number) => [...Array(end).keys()]

describe('a data directory on a mount without Unix sockets', () => {
  it('goes to one of three starters 12 s after its holder was killed, with all rows', async () => {
    const place = onMount()
    const first = await serve(...place)
    await write(first, 0, 100)
    first.child.kill('SIGKILL')
    await first.exit
    const startMs = performance.now()
    const starters = [1, 2, 3].map(() => launch(...place))
    const ends = await Promise.race([
      Promise.all(starters.map(({ exit }) => exit)),
      Promise.any(starters.map((program) => served(program))).then((service) => service),
    ])
    expect(ends).not.toBeInstanceOf(Array)
    expect(performance.now() - startMs).toBeGreaterThan(TAKEOVER_MS)
    expect(await allNumbers(ends as Served, START_US)).toEqual(numbersTo(100))
    await wait(5_000)
    expect(starters.filter(({ child }) => child.exitCode === null).length).toBe(1)
  })

  it('is lost to a holder that was stopped for 30 s: it writes nothing more and ends with 1', async () => {
    const place = onMount()
    const first = await serve(...place)
    await write(first, 0, 100)
    first.child.kill('SIGSTOP')
    const stoppedMs = performance.now()
    const second = await serve(...place)
    await write(second, 100, 200)
    await wait(STOPPED_MS - (performance.now() - stoppedMs))
    const lock = readFileSync(join(place[0][1]!, 'lock.json'), 'utf8')
    for (let number = 900; number < 1_000; number++) first.child.stdin!.write(numberedLine(number, START_US))
    first.child.kill('SIGCONT')
    expect(await first.exit).toBe(1)
    expect(first.stderrText()).toContain('lock.json was removed or replaced')
    expect(readFileSync(join(place[0][1]!, 'lock.json'), 'utf8')).toBe(lock)
    expect(await allNumbers(second, START_US)).toEqual(numbersTo(200))
    second.child.kill('SIGTERM')
    expect(await second.exit).toBe(0)
    const third = await serve(...place)
    expect(await allNumbers(third, START_US)).toEqual(numbersTo(200))
  })
})
