import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { numberedLine, PROJECT } from '../support/numbered.js'
import { type Served, serve, temporaryFolder, until } from '../support/program.js'

const START_US = (Date.now() - 3_600_000) * 1000
const ROWS = 6_000
const KILLS = 3

const VIEW = `-- view: keep 400d
select timestamp_trunc(timestamp, day) as day, count(*) as n, min(event_message) as least
from edge_logs group by day`

async function write(service: Served, from: number, to: number): Promise<void> {
  for (let number = from; number < to; number++)
    service.child.stdin!.write(numberedLine(number, START_US, 'x'.repeat(900)))
  await until(
    () => service.metric('logweir_rows{source="edge_logs"}'),
    (rows) => rows === to,
  )
}

const countOf = async (service: Served) => {
  const rows = await service.rows(
    `logs.all?project=${PROJECT}&sql=${encodeURIComponent('select sum(n) as n from view.counts')}`,
  )
  return rows[0].n
}

it('a view has each row once, whenever the process is killed', { timeout: 120_000 }, async () => {
  const [dataDir, endpoints] = [temporaryFolder(), temporaryFolder()]
  writeFileSync(join(endpoints, 'counts.sql'), VIEW)
  const args = ['--data-dir', dataDir, '--endpoints', endpoints, '--sql', '--memory-limit', '16M']
  const start = () => serve(args, { environment: { LOGWEIR_IN_MEMORY: '0' } })
  let service = await start()
  for (let kills = 0; kills < KILLS; kills++) {
    await write(service, kills * ROWS, (kills + 1) * ROWS)
    expect(await countOf(service)).toBe((kills + 1) * ROWS)
    // Files of the view are made while and after rows arrive.
    await new Promise((resolve) => setTimeout(resolve, 700 + kills * 400))
    service.child.kill('SIGKILL')
    await service.exit
    service = await start()
    expect(await countOf(service)).toBe((kills + 1) * ROWS)
  }
  await until(
    async () => readdirSync(join(dataDir, 'views'), { recursive: true }),
    (names) => names.some((name) => /\d-\d{8}$/.test(String(name))),
  )
  expect(await countOf(service)).toBe(KILLS * ROWS)
  service.child.kill('SIGTERM')
  expect(await service.exit).toBe(0)
})
