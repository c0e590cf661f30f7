import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DAY_US } from '../../../src/base/units.js'
import { run, type Served, serve, temporaryFolder, until } from '../support/program.js'

const NOW_US = Date.now() * 1000

const recordLine = (id: string, project: string, ageDays: number) =>
  `${JSON.stringify({ source: 'edge_logs', id, project, timestamp: NOW_US - ageDays * DAY_US, event_message: id })}\n`

const fileOf = (tierOfA: string) => `
[tiers]
free = "1d"
pro = "7d"
[projects]
a = "${tierOfA}"
b = "free"
`

const idsOf = async (service: Served, project: string) => {
  const rows = await service.rows(`logs.all?project=${project}&project_tier=ENTERPRISE`)
  return rows.map(({ id }) => id)
}

/** Starts a service, and returns it when it shows this many rows of project a. */
async function serveUntil(args: readonly string[], rows: number): Promise<Served> {
  const service = await serve(args)
  await until(
    () => idsOf(service, 'a'),
    (ids) => ids.length === rows,
  )
  return service
}

describe('--retention-file', () => {
  it('rejects and hides rows past the time of their project, and never shows them again', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'retention.toml')
    const args = ['--data-dir', join(folder, 'data'), '--retention-file', file]
    writeFileSync(file, fileOf('pro'))
    const service = await serve(args)
    service.child.stdin!.end(
      recordLine('a-new', 'a', 0) +
        recordLine('a-old', 'a', 2) +
        recordLine('b-new', 'b', 0) +
        recordLine('b-old', 'b', 2),
    )
    await service.waitForStderr(/standard input ended: 3 rows accepted, 1 rejected \(too_old 1\)/)
    expect(await idsOf(service, 'a')).toEqual(['a-new', 'a-old'])
    expect(await idsOf(service, 'b')).toEqual(['b-new'])

    writeFileSync(file, fileOf('free'))
    await until(
      () => idsOf(service, 'a'),
      (ids) => ids.length === 1,
    )
    writeFileSync(file, fileOf('pro'))
    await until(
      async () => service.stderrText().match(/retention file .*: tiers: 2, projects: 2, sources: 0/g)!.length,
      (reads) => reads === 3,
    )
    const sent = await service.get('/logs', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: recordLine('a-late', 'a', 2),
    })
    expect(await sent.json()).toMatchObject({ rejected: [{ record: 1, reason: 'too_old' }] })
    expect(await idsOf(service, 'a')).toEqual(['a-new'])
    service.child.kill('SIGTERM')
    expect(await service.exit).toBe(0)

    // Without the file too.
    for (const again of [args, args.slice(0, 2)]) {
      const next = await serveUntil(again, 1)
      expect(await idsOf(next, 'a')).toEqual(['a-new'])
      next.child.kill('SIGTERM')
      expect(await next.exit).toBe(0)
    }
    const { stdout } = await run([
      'sql',
      join(folder, 'data'),
      'select id from edge_logs order by id',
      '--format',
      'csv',
    ])
    expect(stdout.toString().split('\r\n').filter(Boolean)).toEqual(['id', 'a-new', 'b-new'])
  })

  it('stops the start with 2 if it keeps rows longer than --retention-days', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'retention.toml')
    writeFileSync(file, 'default = "90d"\n')
    const { code, stderr } = await run(['serve', '--in-memory', '--retention-days', '30', '--retention-file', file])
    expect(code).toBe(2)
    expect(stderr).toContain(
      `${file} line 1: default is longer than --retention-days. Raise --retention-days, or give at most "30d".`,
    )
  })
})
