import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run, serve, temporaryFolder } from './support/program.js'

const TO_NOWHERE = ['export', '--to', 'clickhouse', '--clickhouse-url', 'http://127.0.0.1:9']

describe('logweir export', () => {
  it('refuses the data directory of a server that runs', async () => {
    const dataDir = temporaryFolder()
    const service = await serve(['--data-dir', dataDir])
    const { code, stdout, stderr } = await run([...TO_NOWHERE, '--data-dir', dataDir])
    expect({ code, stdout: stdout.toString(), stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `logweir: The data directory ${dataDir} is in use by process ${service.child.pid}. ` +
        'Stop that one, or give another --data-dir.\n',
    })
  })

  it('refuses a directory that is none of logweir, and leaves it as it is', async () => {
    const folder = temporaryFolder()
    for (const dataDir of [folder, join(folder, 'missing')]) {
      const { code, stderr } = await run([...TO_NOWHERE, '--data-dir', dataDir])
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `logweir: --data-dir ${dataDir} is no data directory of logweir: there is no format.json in it.\n`,
      })
    }
    expect(readdirSync(folder)).toEqual([])
  })

  it('fails where the server does not answer, and gives the directory back', async () => {
    const dataDir = temporaryFolder()
    const service = await serve(['--data-dir', dataDir])
    service.child.stdin!.end('{"source":"edge_logs","project":"a"}\n')
    await service.waitForStderr(/standard input ended: 1 rows accepted/)
    service.child.kill('SIGTERM')
    expect(await service.exit).toBe(0)
    const before = readdirSync(dataDir, { recursive: true })
    const { code, stdout, stderr } = await run([...TO_NOWHERE, '--data-dir', dataDir])
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^logweir: .*ECONNREFUSED.*\n$/)
    expect(readdirSync(dataDir, { recursive: true })).toEqual(before)
    await serve(['--data-dir', dataDir])
  })
})
