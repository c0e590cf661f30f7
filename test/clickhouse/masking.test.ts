import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { textsInDirectory } from '../deletions/search-directory.js'
import { serve, temporaryFolder, until } from '../program/support/program.js'
import { USER } from './cluster.js'
import { onEachTarget } from './on-targets.js'

const SECRETS = ['joe@example.com', 'hidden-password', 'S3cr3tKey']
const RULES = `
[[mask]]
builtin = "email"
with = "***"
[[mask]]
path = "*.password"
with = "drop"
[[mask]]
pattern = 'S3cr3t\\w+'
with = "***"
`

onEachTarget('--mask with %s', (target) => {
  afterEach(() => target().clear())

  it('sends no secret to the server, and leaves none in the journals', { timeout: 120_000 }, async () => {
    const { url, location } = target()
    const folder = temporaryFolder()
    const [file, dataDir] = [join(folder, 'masks.toml'), join(folder, 'data')]
    writeFileSync(file, RULES)
    const user = { LOGWEIR_CLICKHOUSE_USER: USER.name, LOGWEIR_CLICKHOUSE_PASSWORD: USER.password }
    const service = await serve(
      [
        ...['--engine', 'clickhouse', '--clickhouse-url', url, '--data-dir', dataDir, '--sql', '--mask', file],
        ...(location.cluster === undefined ? [] : ['--clickhouse-cluster', location.cluster]),
      ],
      { environment: { LOGWEIR_IN_MEMORY: '0', ...(location.cluster !== undefined && user) } },
    )
    const record = { source: 'auth_logs', project: 'p', event_message: `of ${SECRETS[0]}` }
    const metadata = { user: { password: SECRETS[1] }, list: [SECRETS[2]] }
    service.child.stdin!.end(`${JSON.stringify({ ...record, metadata })}\nno JSON ${SECRETS[2]}\n`)
    await service.waitForStderr(/standard input ended: 1 rows accepted, 1 rejected/)
    const sql = encodeURIComponent('select event_message, metadata from auth_logs')
    const [row] = await until(
      () => service.rows(`logs.all?project=p&sql=${sql}`),
      (rows) => rows.length === 1,
    )
    expect(row!.event_message).toBe('of ***')
    expect(JSON.stringify(row!.metadata)).toContain('"list":["***"]')
    service.child.kill('SIGTERM')
    expect(await service.exit).toBe(0)
    const shown = JSON.stringify(row) + service.stderrText()
    expect(SECRETS.filter((secret) => shown.includes(secret))).toEqual([])
    expect(textsInDirectory(dataDir, SECRETS)).toEqual([])
  })
})
