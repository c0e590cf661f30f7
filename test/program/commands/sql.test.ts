import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { copyDirectory, directoryState } from '../../support/directory-state.js'
import { run, type Served, serve, TOKEN, temporaryFolder, until } from '../support/program.js'

const PROJECT = 'abcdefghijklmnopqrst'
const ROWS = 500

/** Starts a service with 500 requests of the last minutes, of two projects. */
async function filled(args: readonly string[]): Promise<Served> {
  const service = await serve(args)
  const nowMs = Date.now()
  for (let i = 0; i < ROWS; i++) {
    const record = {
      source: 'edge_logs',
      id: `${i}`,
      project: i % 5 === 0 ? 'other' : PROJECT,
      timestamp: (nowMs - i * 100) * 1000,
      event_message: `GET ${i}`,
      metadata: { response: { status_code: i % 10 === 0 ? 500 : 200 } },
    }
    service.child.stdin!.write(`${JSON.stringify(record)}\n`)
  }
  await until(
    () => service.metric('logweir_rows{source="edge_logs"}'),
    (rows) => rows === ROWS,
  )
  return service
}

const BY_STATUS = 'select response.status_code, count(*) as n from edge_logs group by 1 order by 1'
const CSV = ['--format', 'csv']

/** Runs a command and returns the exit code and the output as texts. */
async function outcome(args: readonly string[], environment: Record<string, string> = {}) {
  const { code, stdout, stderr } = await run(args, { environment })
  return [code, stdout.toString(), stderr]
}

describe('logweir sql', () => {
  it('refuses the directory of a running service, answers when that was killed, and changes nothing', async () => {
    const dataDir = temporaryFolder()
    const service = await filled(['--data-dir', dataDir])
    const before = directoryState(dataDir)
    expect(await outcome(['sql', dataDir, BY_STATUS, ...CSV])).toEqual([
      1,
      '',
      `logweir: The data directory ${dataDir} is in use by process ${service.child.pid}. ` +
        'Query that service with logweir query --sql, or stop it.\n',
    ])
    // The service touches the file of the lock.
    const withoutLock = (lines: readonly string[]) => lines.filter((line) => !line.startsWith('lock '))
    expect(withoutLock(directoryState(dataDir))).toEqual(withoutLock(before))

    const copy = join(temporaryFolder(), 'copy')
    copyDirectory(dataDir, copy)
    service.child.kill('SIGKILL')
    await service.exit
    const killed = [dataDir, copy].map(directoryState)
    for (const [i, directory] of [dataDir, copy].entries()) {
      expect(killed[i]!.some((line) => line.startsWith('journal/edge_logs-'))).toBe(true)
      expect(await outcome(['sql', directory, BY_STATUS, ...CSV])).toEqual([
        0,
        'status_code,n\r\n200,450\r\n500,50\r\n',
        '',
      ])
    }
    expect(await outcome(['sql', dataDir, BY_STATUS, ...CSV, '--project', PROJECT])).toEqual([
      0,
      'status_code,n\r\n200,400\r\n',
      '',
    ])
    expect(await outcome(['sql', dataDir, 'select\n  cout(*)\nfrom edge_logs'])).toEqual([
      2,
      '',
      expect.stringMatching(/^logweir: .* \(line 2, column 3\)\n {2}cout\(\*\)\n {2}\^\n$/),
    ])
    expect([dataDir, copy].map(directoryState)).toEqual(killed)
  })

  it('answers with 1 if a segment cannot be read', async () => {
    const dataDir = temporaryFolder()
    const service = await filled(['--data-dir', dataDir])
    service.child.kill('SIGTERM')
    await service.exit
    const count = ['sql', dataDir, 'select count(*) as n from edge_logs', ...CSV]
    expect(await outcome(count)).toEqual([0, 'n\r\n500\r\n', ''])
    const segment = join(dataDir, 'segments/edge_logs/2026-11-20/00000099-0')
    mkdirSync(segment, { recursive: true })
    writeFileSync(join(segment, 'hot.arrow'), 'no segment')
    expect(await outcome(count)).toEqual([
      1,
      'n\r\n500\r\n',
      expect.stringMatching(/^logweir: .*00000099-0 cannot be read, and its rows are not shown: .*\n$/),
    ])
  })
})

describe('logweir query --sql', () => {
  const environment = { LOGWEIR_TOKEN: TOKEN }

  it('answers as logweir sql does, as JSON and as a table', async () => {
    const dataDir = temporaryFolder()
    const service = await filled(['--data-dir', dataDir, '--sql'])
    const project = ['--project', PROJECT]
    const ask = (...args: string[]) => outcome(['query', '--url', service.url, ...project, ...args], environment)
    const sql = 'select id, response.status_code, timestamp, metadata from edge_logs order by timestamp desc limit 7'
    const formats = ['json', 'table']
    const answers = []
    for (const format of formats) answers.push(await ask('--sql', sql, '--format', format))
    expect(await ask('--sql', BY_STATUS, ...CSV)).toEqual([0, 'status_code,n\r\n200,400\r\n', ''])
    expect(await ask('--sql', BY_STATUS, ...CSV, '--iso-timestamp-start', '2100-01-01T00:00:00Z')).toEqual([
      0,
      'status_code,n\r\n',
      '',
    ])
    expect(await ask('--sql', 'select cout(*)')).toEqual([
      1,
      '',
      expect.stringMatching(/^logweir: http.* \(line 1, column 8\) \(invalid_sql\)\nselect cout\(\*\)\n {7}\^\n$/),
    ])
    service.child.kill('SIGTERM')
    await service.exit
    for (const [i, format] of formats.entries()) {
      expect(await outcome(['sql', dataDir, sql, ...project, '--format', format])).toEqual(answers[i])
      expect(answers[i]).toEqual([0, expect.stringMatching(/\b8\b.*200/), ''])
    }
  })

  it('fails with 1 if the service does not run SQL', async () => {
    const { url } = await serve()
    const args = ['query', '--url', url, '--project', PROJECT, '--sql', BY_STATUS]
    expect(await outcome(args, environment)).toEqual([
      1,
      '',
      `logweir: the service at ${url} does not run SQL. Start it with --sql (LOGWEIR_SQL=true).\n`,
    ])
  })
})
