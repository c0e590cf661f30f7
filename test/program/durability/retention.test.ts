import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DAY_US, HOUR_US } from '../../../src/base/units.js'
import { HURRIED } from '../support/crash.js'
import { numberedLine, PROJECT } from '../support/numbered.js'
import { type Served, serve, temporaryFolder, until } from '../support/program.js'

const OLD_DAYS = 80

/** Returns the days that have a segment. */
const daysIn = (dataDir: string) => readdirSync(join(dataDir, 'segments/edge_logs'))
const journalsIn = (dataDir: string) => readdirSync(join(dataDir, 'journal'))

const idsOf = async (service: Served) => {
  const rows = await service.rows(`logs.all?project=${PROJECT}&project_tier=ENTERPRISE`)
  return rows.map(({ id }) => id)
}

/** Returns the names of the files of the segments of a data directory, with their days. */
const filesOf = (dataDir: string) =>
  daysIn(dataDir).flatMap((day) => {
    const folder = join(dataDir, 'segments/edge_logs', day)
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${day}/${name}`)
  })

it('a record of an open head is deleted, with its files, once it is older than --retention-days', async () => {
  const dataDir = temporaryFolder()
  const newUs = Date.now() * 1000 - HOUR_US
  const oldUs = newUs - OLD_DAYS * DAY_US
  const first = await serve(['--data-dir', dataDir, '--retention-days', '90'])
  first.child.stdin!.write(numberedLine(0, oldUs) + numberedLine(1, newUs))
  await until(
    () => idsOf(first),
    (ids) => ids.length === 2,
  )
  first.child.kill('SIGTERM')
  expect(await first.exit).toBe(0)
  expect(journalsIn(dataDir)).toEqual(['edge_logs-00000001.log'])

  const next = await serve(['--data-dir', dataDir, '--retention-days', '1'], { environment: HURRIED })
  const seen = new Set<string>()
  await until(
    async () => {
      seen.add((await idsOf(next)).join())
      return next.metric('logweir_evicted_rows_total{source="edge_logs",limit="retention"}')
    },
    (rows) => rows === 1,
  )
  expect(await idsOf(next)).toEqual(['1'])
  expect(['1,0', '1']).toEqual(expect.arrayContaining([...seen]))
  next.child.kill('SIGTERM')
  expect(await next.exit).toBe(0)
  expect(journalsIn(dataDir)).toEqual([])
  const newDay = new Date(newUs / 1000).toISOString().slice(0, 10)
  expect(filesOf(dataDir).filter((path) => !path.startsWith(newDay))).toEqual([])
  expect(filesOf(dataDir)).toContain(`${newDay}/00000001-1/cold.arrow`)
})
