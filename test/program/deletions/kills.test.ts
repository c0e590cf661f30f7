import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { below, mulberry32, oneOf, type Random } from '../../support/random.js'
import { costlyRuns } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { type Served, serve, temporaryFolder, until } from '../support/program.js'
import { askDeletions, createToken, expectErased, listDeletions, ON_DISK } from './support.js'

const PROJECTS = ['a', 'b']
const SOURCES = ['edge_logs', 'auth_logs']
/** Rows of a round. All rows of a project and a source must fit into an answer of SQL. */
const ROWS = 40

interface StoredRow {
  n: number
  project: string
  source: string
  text: string
}

/** A condition on `n` as SQL, and as a function. */
interface Condition {
  where: string
  isTrue(n: number): boolean
}

function randomCondition(random: Random, rows: number): Condition {
  const bound = below(random, rows + 1)
  return oneOf(random, [
    { where: `metadata.n >= ${bound}`, isTrue: (n: number) => n >= bound },
    { where: `metadata.n < ${bound} and metadata.odd = true`, isTrue: (n: number) => n < bound && n % 2 === 1 },
    { where: `event_message like '%x${bound % 10}'`, isTrue: (n: number) => n % 10 === bound % 10 },
  ])
}

const textOf = (random: Random) => Array.from({ length: 4 }, () => random().toString(36).slice(2, 12)).join('')

const lineOf = ({ n, project, source, text }: StoredRow) =>
  JSON.stringify({
    ...{ source, project, id: `${n}`, timestamp: Date.now() - (n % 2) * 86_400_000 },
    ...{ event_message: `${text}x${n % 10}`, metadata: { n, odd: n % 2 === 1, copy: `m${text}` } },
  })

async function send(service: Served, rows: readonly StoredRow[]): Promise<void> {
  const body = rows.map(lineOf).join('\n')
  const headers = { 'Content-Type': 'application/x-ndjson' }
  const { status } = await service.get('/api/logs', { method: 'POST', body, headers })
  expect(status).toBe(200)
}

/** Returns the numbers of the rows that queries show. */
async function shown(service: Served): Promise<number[]> {
  const numbers: number[] = []
  for (const project of PROJECTS) {
    for (const source of SOURCES) {
      const sql = encodeURIComponent(`select metadata.n as n from ${source}`)
      const path = `/api/endpoints/query/logs.all?project=${project}&sql=${sql}`
      const answer = (await (await service.get(path)).json()) as { result: { n: number }[] }
      expect(answer).toEqual({ result: expect.anything() })
      for (const { n } of answer.result) numbers.push(n)
    }
  }
  return numbers.sort((a, b) => a - b)
}

describe('deletions of a program that is killed', () => {
  const seed = testSeed()
  const kills = Math.max(3, costlyRuns(50))

  it(`stay hidden, and go on, ${kills} times (seed ${seed})`, { timeout: 360_000 + 60_000 * kills }, async () => {
    const random = mulberry32(seed)
    const dataDir = temporaryFolder()
    const token = await createToken(dataDir)
    const args = ['--data-dir', dataDir, '--sql', '--memory-limit', '6M']
    let left: StoredRow[] = []
    const deleted: StoredRow[] = []
    let count = 0
    let known = 0

    /** Sends a deletion, which may be interrupted. Returns the rows that it concerns. */
    async function startDeletion(service: Served): Promise<StoredRow[]> {
      const { where, isTrue } = randomCondition(random, count)
      const source = random() < 0.5 ? undefined : oneOf(random, SOURCES)
      const project = oneOf(random, PROJECTS)
      const concerned = left.filter(
        (row) => row.project === project && (source ?? row.source) === row.source && isTrue(row.n),
      )
      const body = JSON.stringify({ project, where, ...(source && { source }) })
      const answer = askDeletions(service, token, { method: 'POST', body }).catch(() => undefined)
      const waitsMs = below(random, 3) === 0 ? below(random, 20) : 1_000_000
      await Promise.race([answer, wait(waitsMs)])
      return concerned
    }

    for (let kill = 0; kill <= kills; kill++) {
      const service = await serve(args, { environment: ON_DISK })
      expect(await shown(service), `seed ${seed}, kill ${kill}`).toEqual(left.map(({ n }) => n))
      const more = Array.from({ length: ROWS }, (): StoredRow => {
        return { n: count++, project: oneOf(random, PROJECTS), source: oneOf(random, SOURCES), text: textOf(random) }
      })
      await send(service, more)
      left.push(...more)
      const concerned = await startDeletion(service)
      await wait(below(random, 600))
      service.child.kill('SIGKILL')
      await service.exit
      // A deletion that was interrupted is there as a whole, or not at all.
      const next = await serve(args, { environment: ON_DISK })
      const now = (await listDeletions(next, token)).length
      if (now > known) {
        left = left.filter((row) => !concerned.includes(row))
        deleted.push(...concerned)
      }
      known = now
      expect(await shown(next), `seed ${seed}, after kill ${kill}`).toEqual(left.map(({ n }) => n))
      next.child.kill('SIGKILL')
      await next.exit
    }

    const last = await serve(args, { environment: ON_DISK })
    await until(
      () => listDeletions(last, token),
      (all) => all.every(({ state }) => state === 'erased'),
      300_000,
    )
    await expectErased(last, dataDir, deleted, left)
  })
})
