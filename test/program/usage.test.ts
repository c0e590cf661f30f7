import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLI, ROOT, run, start, temporaryFolder } from './support/program.js'

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** Expects a single line on standard error, nothing on standard output, and an exit code. */
async function expectRefusal(args: readonly string[], line: string, expected = 2): Promise<void> {
  const { code, stdout, stderr } = await run(args)
  expect({ code, stdout: stdout.toString(), stderr }).toEqual({
    code: expected,
    stdout: '',
    stderr: `logweir: ${line}\n`,
  })
}

describe('logweir', () => {
  it('is the built program of package.json, and can be run', () => {
    expect(join(ROOT, manifest.bin.logweir)).toBe(CLI)
    expect(statSync(CLI).mode & 0o111).toBe(0o111)
    expect(readFileSync(CLI, 'utf8')).toMatch(/^#!\/usr\/bin\/env -S MALLOC_MMAP_THRESHOLD_=262144 node\n/)
    expect(execFileSync(CLI, ['--version'], { encoding: 'utf8' })).toBe(`${manifest.version}\n`)
  })

  it('tells its version and its help', async () => {
    const { code, stdout } = await run(['--version'])
    expect([code, stdout.toString()]).toEqual([0, `${manifest.version}\n`])
    const help = await run(['serve', '--port', '--help'])
    expect([help.code, help.stderr]).toEqual([0, ''])
    expect(help.stdout.toString()).toContain('logweir serve [flags]: ')
  })

  it.each([
    [['sevre'], 'unknown command "sevre". Did you mean serve? Try: logweir --help'],
    [['serve', '--port', 'http'], '--port: "http" is not an integer from 0 to 65535.'],
    [['generate', '--rows', 'many'], '--rows: "many" is not an integer from 1 to 1000000000000.'],
  ])('refuses %j', async (args, line) => {
    await expectRefusal(args, line)
  })

  it('refuses an occupied port, and makes no token', async () => {
    const occupant = createServer().listen(0, '127.0.0.1')
    await once(occupant, 'listening')
    const { port } = occupant.address() as { port: number }
    const dataDir = join(temporaryFolder(), 'data')
    await expectRefusal(
      ['serve', '--port', String(port), '--data-dir', dataDir],
      `Cannot listen on 127.0.0.1 port ${port}: another program listens there. ` +
        'Stop it, or choose another port with --port.',
      1,
    )
    expect(readdirSync(dataDir)).toEqual(['format.json'])
    occupant.close()
  })

  it('refuses a data directory that cannot be made', async () => {
    const { code, stderr } = await run(['serve', '--port', '0', '--data-dir', '/dev/null/data'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^logweir: --data-dir \/dev\/null\/data cannot be written: ENOTDIR.*\n$/)
  })

  it('refuses tokens that no header can carry, without telling them', async () => {
    const program = start(['serve', '--port', '0'], { environment: { LOGWEIR_ACCESS_TOKENS: 'se cret' } })
    expect(await program.exit).toBe(2)
    expect(program.stderrText()).toMatch(/^logweir: LOGWEIR_ACCESS_TOKENS: token 1 holds white space.*\n$/)
    expect(program.stderrText()).not.toContain('cret')
  })
})

describe('logweir generate', () => {
  const end = ['--end', '2026-11-20T10:00:00Z']

  it('writes equal bytes for equal seed and end', async () => {
    const args = ['generate', '--rows', '2000', '--seed', '5', ...end]
    const [one, two, other] = await Promise.all([run(args), run(args), run(['generate', '--rows', '2000', ...end])])
    expect(one.code).toBe(0)
    expect(one.stdout.toString().split('\n')).toHaveLength(2001)
    expect(one.stdout.equals(two.stdout)).toBe(true)
    expect(one.stdout.equals(other.stdout)).toBe(false)
  })

  it('ends now unless told otherwise', async () => {
    const { stdout } = await run(['generate', '--rows', '50', '--span', '1m'])
    const times = stdout
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).timestamp)
    for (const time of times) {
      const ageMs = Date.now() - (typeof time === 'number' ? time / 1000 : Date.parse(time))
      expect(ageMs).toBeGreaterThan(0)
      expect(ageMs).toBeLessThan(120_000)
    }
  })

  it('stops in silence when nobody reads any more', async () => {
    const program = start(['generate', '--rows', '100000000'])
    await once(program.child.stdout!, 'data')
    program.child.stdout!.destroy()
    expect(await program.exit).toBe(0)
    expect(program.stderrText()).toBe('')
  })
})
