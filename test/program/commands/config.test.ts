import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run, served, start, temporaryFolder } from '../support/program.js'

function fileWith(text: string, mode = 0o600): string {
  const path = join(temporaryFolder(), 'logweir.toml')
  writeFileSync(path, text, { mode })
  return path
}

describe('--config', () => {
  it('sets what serve works with, and warns of secrets that all can read', async () => {
    const path = fileWith('port = 0\naccess-tokens = "from-the-file"\n', 0o644)
    const program = start(['serve', '--config', path])
    const service = await served(program, 'from-the-file')
    expect((await service.get('/api/endpoints')).status).toBe(200)
    expect(program.stderrText()).toContain(`logweir: ${path} holds secrets, and every user of this machine can read it`)
    expect(program.stderrText()).not.toContain('from-the-file')
  })

  it('is refused with 2 where it is wrong, by serve and config in the same words', async () => {
    const path = fileWith('\nprot = 1')
    for (const command of ['serve', 'config']) {
      const { code, stdout, stderr } = await run([command], { environment: { LOGWEIR_CONFIG: path } })
      expect({ code, stdout: stdout.toString(), stderr }).toEqual({
        code: 2,
        stdout: '',
        stderr: `logweir: ${path} line 2: unknown setting "prot". Did you mean port?\n`,
      })
    }
  })
})

describe('logweir config', () => {
  it('tells values and origins, and no secrets', async () => {
    const path = fileWith('host = "localhost"\nclickhouse-password = "hush"')
    const environment = { LOGWEIR_CONFIG: path, LOGWEIR_ACCESS_TOKENS: 'hush' }
    const { code, stdout, stderr } = await run(['config', '--json', '--port', '5'], { environment })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout.toString())).toMatchObject({
      port: { value: 5, where: '--port' },
      host: { value: 'localhost', where: `${path} line 1` },
      'in-memory': { value: true, where: 'LOGWEIR_IN_MEMORY' },
      'access-tokens': { value: '***', where: 'LOGWEIR_ACCESS_TOKENS' },
      'clickhouse-password': { value: '***', where: `${path} line 2` },
    })
    const text = (await run(['config'], { environment })).stdout.toString()
    expect(text).toMatch(/^host = "localhost" +# .*logweir\.toml line 1$/m)
    expect(text + stdout.toString()).not.toContain('hush')
  })
})

describe('logweir completion', () => {
  it('prints a script that bash takes', async () => {
    const { code, stdout } = await run(['completion', 'bash'])
    expect(code).toBe(0)
    expect(stdout.toString()).toContain('invocation-stats')
    const check = spawnSync('bash', ['-n'], { input: stdout, encoding: 'utf8' })
    expect([check.status, check.stderr]).toEqual([0, ''])
  })
})
