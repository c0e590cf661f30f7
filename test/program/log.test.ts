import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { start } from './support/program.js'

const JSON_LOG = { LOGWEIR_LOG_FORMAT: 'json', LOGWEIR_ACCESS_TOKENS: 'a' }

const linesOf = (said: string) =>
  said
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

it('what is said is an object a line, with its facts', async () => {
  const program = start(['serve', '--port', '0'], { environment: JSON_LOG, stdin: 'pipe' })
  program.child.stdin!.end('{"source":"edge_logs"}\n{"source":"nginx"}\nno JSON\n')
  await program.waitForStderr(/stdin_ended/)
  program.child.kill('SIGTERM')
  expect(await program.exit).toBe(0)
  const lines = linesOf(program.stderrText())
  const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)
  const rejected = { level: 'warn', code: 'rejected' }
  expect(lines).toMatchObject([
    { level: 'info', code: 'listening', url, msg: `listening on ${lines[0].url}` },
    { ...rejected, line: 2, reason: 'unknown_source' },
    { ...rejected, line: 3, reason: 'invalid_json' },
    { code: 'stdin_ended', rows: 1, rejected: 2, reasons: { unknown_source: 1, invalid_json: 1 } },
    { code: 'stopping', signal: 'SIGTERM' },
  ])
  for (const { time } of lines) expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(60_000)
})

it('so is what ends it, once the settings are read', async () => {
  const occupant = createServer().listen(0, '127.0.0.1')
  await once(occupant, 'listening')
  const { port } = occupant.address() as { port: number }
  const program = start(['serve', '--port', String(port)], { environment: JSON_LOG })
  expect(await program.exit).toBe(1)
  expect(linesOf(program.stderrText())).toMatchObject([{ level: 'error', code: 'cannot_listen' }])
  occupant.close()

  const wrong = start(['serve', '--log-format', 'json', '--port', 'http'])
  expect(await wrong.exit).toBe(2)
  expect(wrong.stderrText()).toBe('logweir: --port: "http" is not an integer from 0 to 65535.\n')
})

it('a memory limit that cannot be kept is a warning', async () => {
  const linesWith = async (limit: string) => {
    const program = start(['serve', '--port', '0', '--memory-limit', limit], { environment: JSON_LOG })
    await program.waitForStderr(/listening/)
    program.child.kill('SIGTERM')
    expect(await program.exit).toBe(0)
    return linesOf(program.stderrText()).filter(({ code }) => code === 'memory_limit_too_low')
  }
  expect(await linesWith('64M')).toMatchObject([
    { level: 'warn', msg: expect.stringContaining('Set --memory-limit to 256M or more') },
  ])
  expect(await linesWith('256M')).toEqual([])
})

it('what goes wrong with files is an error with its place', async () => {
  const program = start(['serve', '--port', '0', '--data-dir', '/dev/null/data'], { environment: JSON_LOG })
  expect(await program.exit).toBe(1)
  expect(linesOf(program.stderrText())).toMatchObject([
    { level: 'error', code: 'data_dir_unusable', msg: expect.stringContaining('/dev/null/data cannot be written') },
  ])
})
