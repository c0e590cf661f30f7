import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { numberedLine, PROJECT } from '../support/numbered.js'
import { type Served, serve, temporaryFolder, until } from '../support/program.js'

const START_US = (Date.now() - 3_600_000) * 1000
const ROWS = 3_000
const ENVIRONMENT = { LOGWEIR_IN_MEMORY: '0' }
const VIEW = `-- view: keep 400d
select timestamp_trunc(timestamp, day) as day, count(*) as n, min(event_message) as least
from edge_logs group by day`

/** A text that does not compress. */
const noise = () => Array.from({ length: 60 }, () => Math.random().toString(36).slice(2)).join('')

async function write(service: Served, from: number): Promise<void> {
  const before = await service.metric('logweir_ingested_rows_total{source="edge_logs"}')
  for (let n = from; n < from + ROWS; n++) service.child.stdin!.write(numberedLine(n, START_US, noise()))
  await until(
    () => service.metric('logweir_ingested_rows_total{source="edge_logs"}'),
    (rows) => rows >= (before || 0) + ROWS,
  )
}

async function end(service: Served): Promise<void> {
  service.child.kill('SIGTERM')
  expect(await service.exit).toBe(0)
}

const rowsIn = (service: Served) => service.metric('logweir_rows{source="edge_logs"}')

it('a view keeps its rows while the directory is served without --endpoints', { timeout: 120_000 }, async () => {
  const [dataDir, endpoints] = [temporaryFolder(), temporaryFolder()]
  writeFileSync(join(endpoints, 'counts.sql'), VIEW)
  const args = ['--data-dir', dataDir, '--memory-limit', '16M']
  const withViews = [...args, '--endpoints', endpoints, '--sql']
  const first = await serve(withViews, { environment: ENVIRONMENT })
  await write(first, 0)
  await until(
    async () => existsSync(join(dataDir, 'views/catalog.json')),
    (isThere) => isThere,
  )
  await end(first)
  const second = await serve([...args, '--max-disk-bytes', '1M'], { environment: ENVIRONMENT })
  await write(second, ROWS)
  await until(
    async () => {
      second.child.stdin!.write(numberedLine(2 * ROWS, START_US, noise()))
      return rowsIn(second)
    },
    (rows) => rows < ROWS,
  )
  await end(second)
  const last = await serve(withViews, { environment: ENVIRONMENT })
  const [row] = await last.rows(`counts?project=${PROJECT}`)
  // The rows of before, and those that are still there: some rows of between were dropped. A slow machine may drop rows
  // before they are grouped: the promise is a line that says which.
  const isToldLost = /lacks rows of edge_logs/.test(second.stderrText())
  expect(row.n >= ROWS || isToldLost, `${row.n} rows`).toBe(true)
  expect(last.stderrText()).not.toContain('view_state_ignored')
  await end(last)
})
