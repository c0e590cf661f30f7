import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { run, serve, temporaryFolder, until } from '../support/program.js'
import { askDeletions, ON_DISK } from './support.js'

const LINES = ['a', 'a', 'b']
  .map((project, i) => ({
    source: 'edge_logs',
    project,
    id: `${i}`,
    event_message: `GET /${i}`,
    metadata: { user: i },
  }))
  .map((record) => `${JSON.stringify(record)}\n`)
  .join('')

const formatIn = (dataDir: string) => JSON.parse(readFileSync(join(dataDir, 'format.json'), 'utf8')).version

it('deletes rows by command, with a token that may', { timeout: 120_000 }, async () => {
  const dataDir = temporaryFolder()
  const service = await serve(['--data-dir', dataDir, '--sql'], { environment: ON_DISK })
  const body = { method: 'POST', body: LINES, headers: { 'Content-Type': 'application/x-ndjson' } }
  expect((await service.get('/api/logs', body)).status).toBe(200)
  const make = (...flags: string[]) =>
    run(['token', 'create', '--data-dir', dataDir, ...flags], { environment: ON_DISK })
  const token = (await make('--scope', 'delete', '--name', 'privacy')).stdout.toString().trim()
  await make('--project', 'a', '--name', 'of-a')
  await make('--project', 'a,b', '--name', 'of-both')
  // A service looks for new tokens every two seconds.
  await until(
    async () => (await askDeletions(service, token)).status,
    (status) => status === 200,
  )
  const remove = async (LOGWEIR_TOKEN: string, ...flags: string[]) => {
    const args = ['delete', '--url', service.url, '--data-dir', dataDir, '--project', 'a', ...flags]
    const { code, stdout, stderr } = await run(args, { environment: { ...ON_DISK, LOGWEIR_TOKEN } })
    return { code, stderr, answer: stdout.length === 0 ? undefined : JSON.parse(stdout.toString()) }
  }
  const rowsOf = async (project: string) =>
    (await service.rows(`logs.all?project=${project}&sql=select+id+from+edge_logs`)).map(({ id }) => id).sort()

  expect(await remove('test-token', '--yes')).toMatchObject({ code: 1, stderr: expect.stringContaining('(forbidden)') })
  expect(formatIn(dataDir)).toBe(1)
  const counted = { project: 'a', rows: 1, sources: [{ source: 'edge_logs', rows: 1 }] }
  expect(await remove(token, '--where', 'user = 0')).toMatchObject({ code: 2, answer: counted })
  expect(await rowsOf('a')).toEqual(['0', '1'])

  const one = await remove(token, '--where', 'user = 0', '--yes')
  expect(one).toMatchObject({
    code: 0,
    answer: { project: 'a', by: expect.stringMatching(/^[0-9a-f]{8} \(privacy\)$/) },
  })
  expect([await rowsOf('a'), await rowsOf('b')]).toEqual([['1'], ['2']])
  expect(formatIn(dataDir)).toBe(4)

  const all = await remove(token, '--yes', '--wait')
  expect(all).toMatchObject({ code: 0, answer: { state: 'erased', rows: 1 } })
  expect([await rowsOf('a'), await rowsOf('b')]).toEqual([[], ['2']])
  const { tokens } = JSON.parse(readFileSync(join(dataDir, 'tokens.json'), 'utf8'))
  const left = tokens.map(({ name, projects }: { name: string; projects?: string[] }) => [name, projects])
  expect(left).toEqual([
    ['privacy', undefined],
    ['of-both', ['b']],
  ])
  expect(await service.metric('logweir_deleted_rows_total')).toBe(2)
  expect(await service.metric('logweir_deletions_open')).toBe(0)
  expect(service.stderrText()).toMatch(
    new RegExp(`accepted the deletion ${one.answer.id} of all sources of the project a by a condition, asked for by`),
  )
  expect(service.stderrText()).toContain(
    `erased the deletion ${all.answer.id} of all sources of the project a; rows: 1`,
  )
  expect(service.stderrText()).not.toContain('user = 0')
})
