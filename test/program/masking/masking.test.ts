import { openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { textsInDirectory } from '../../deletions/search-directory.js'
import { run, type Served, serve, temporaryFolder, until } from '../support/program.js'

const ON_DISK = { LOGWEIR_IN_MEMORY: '0' }
const NOW_US = Date.now() * 1000

const RULES = `
[[mask]]
path = "*.password"
with = "drop"
[[mask]]
path = "*.authorization"
with = "***"
[[mask]]
builtin = "email"
with = "hash"
[[mask]]
pattern = 'S3cr3t\\w+'
with = "***"
name = "planted"
`

/** Secrets of records that are sent in each way, and in lines that are rejected. */
let count = 0
const secrets: string[] = []
function planted(): string {
  const secret = `S3cr3t${(++count).toString(36).padStart(4, '0')}${Math.random().toString(36).slice(2)}`
  secrets.push(secret)
  return secret
}

const record = (more: object = {}) => ({
  ...{ source: 'edge_logs', project: 'p', timestamp: NOW_US, id: `id of ${planted()}` },
  event_message: `GET /?x=${planted()} by joe@example.com`,
  metadata: { list: [{ deep: planted() }], [planted()]: 1, user: { password: planted() }, authorization: planted() },
  ...more,
})

/** A line with a secret as escapes of characters. */
const escaped = () =>
  JSON.stringify(record())
    .replaceAll('S3cr3t', () => '\\u00533cr3\\u0074')
    .replaceAll('joe@', 'joe\\u0040')

const otlp = () => ({
  resourceLogs: [
    {
      resource: {
        attributes: [
          { key: 'logweir.source', value: { stringValue: 'function_logs' } },
          { key: 'logweir.project', value: { stringValue: 'p' } },
        ],
      },
      scopeLogs: [
        {
          logRecords: [
            {
              timeUnixNano: `${NOW_US}000`,
              body: { stringValue: `body ${planted()}` },
              attributes: [
                { key: 'attribute', value: { stringValue: planted() } },
                { key: 'list', value: { arrayValue: { values: [{ stringValue: planted() }] } } },
                { key: planted(), value: { intValue: '1' } },
              ],
            },
          ],
        },
      ],
    },
  ],
})

async function post(service: Served, path: string, body: string, type: string, status = 200): Promise<string> {
  const response = await service.get(path, { method: 'POST', body, headers: { 'Content-Type': type } })
  const text = await response.text()
  expect([response.status, text]).toEqual([status, expect.anything()])
  return text
}

const rowsOf = (service: Served, sql: string) => service.rows(`logs.all?project=p&sql=${encodeURIComponent(sql)}`)

describe('--mask', () => {
  it('stores, sends, shows and logs no secret of any way in', { timeout: 120_000 }, async () => {
    const folder = temporaryFolder()
    const [file, dataDir] = [join(folder, 'masks.toml'), join(folder, 'data')]
    writeFileSync(file, RULES)
    const args = ['--data-dir', dataDir, '--sql', '--mask', file]
    const service = await serve(args, { environment: ON_DISK })
    const tail = await service.get('/api/tail?project=p&source=edge_logs')
    let tailed = ''
    void (async () => {
      for await (const chunk of tail.body!) tailed += Buffer.from(chunk).toString()
    })().catch(() => {})
    const json = 'application/json'
    const refused = [record({ source: planted() }), record({ timestamp: 1 })]
    const answers = [
      await post(service, '/api/logs', `${JSON.stringify(record())}\n${escaped()}\n`, 'application/x-ndjson'),
      await post(service, '/logs', JSON.stringify({ batch: [record(), record()] }), json),
      await post(service, '/v1/logs', JSON.stringify(otlp()), json),
      await post(service, '/api/logs', JSON.stringify(refused), json, 400),
    ]
    service.child.stdin!.end(
      `${JSON.stringify(record())}\nno JSON ${planted()}\n{"source":"edge_logs","id":{"x":"${planted()}"}}\n` +
        `{"source":"edge_logs","event_message":"${planted()}${'x'.repeat(1_100_000)}"}\n`,
    )
    await service.waitForStderr(/standard input ended: 1 rows accepted, 3 rejected/)
    await until(
      async () => tailed,
      (text) => (text.match(/^data:/gm)?.length ?? 0) >= 5,
    )
    const rows = await rowsOf(service, 'select id, event_message, metadata from edge_logs')
    expect(rows).toHaveLength(5)
    const message = rows[0]!.event_message as string
    expect(message).toMatch(/^GET \/\?x=\*\*\* by hash:[0-9a-f]{16}$/)
    for (const { id, event_message, metadata } of rows) {
      expect([id, event_message]).toEqual(['id of ***', message])
      expect(JSON.stringify(metadata)).toContain('"list":[{"deep":"***"}],"***":1,"user":[{}],"authorization":"***"')
    }
    const [other] = await rowsOf(service, 'select event_message, metadata from function_logs')
    expect(other!.event_message).toBe('body ***')
    // Two of the records are masked, and rejected then.
    const metrics = await (await service.get('/metrics')).text()
    expect(metrics).toContain('logweir_masked_values_total{rule="email"} 7')
    expect(metrics).toContain('logweir_masked_values_total{rule="*.password"} 7')
    const exported = await (await service.get('/api/endpoints/query/logs.all?project=p&project_tier=ENTERPRISE')).text()
    service.child.kill('SIGTERM')
    expect(await service.exit).toBe(0)

    const rejects = readFileSync(join(dataDir, 'rejects.ndjson'), 'utf8').trim().split('\n')
    expect(rejects.map((line) => Object.keys(JSON.parse(line)))).toEqual(
      rejects.map(() => ['line', 'reason', 'length']),
    )
    expect(rejects.map((line) => JSON.parse(line).reason).sort()).toEqual(
      ['invalid_field', 'invalid_json', 'line_too_long', 'too_old', 'unknown_source'].sort(),
    )
    expect(rejects).toContain(
      JSON.stringify({ line: 2, reason: 'invalid_json', length: `no JSON ${secrets.at(-3)!}`.length }),
    )
    const shown = [...answers, tailed, JSON.stringify([rows, other]), exported, metrics, service.stderrText()].join(
      '\n',
    )
    expect([...secrets, 'joe@example'].filter((secret) => shown.includes(secret))).toEqual([])
    expect(textsInDirectory(dataDir, [...secrets, 'joe@example'])).toEqual([])
    expect(textsInDirectory(dataDir, [message])).toEqual([message])
    expect(statSync(join(dataDir, 'mask.key')).mode & 0o777).toBe(0o600)

    // Equal values are equal after a restart.
    const next = await serve(args, { environment: ON_DISK })
    await post(next, '/api/logs', JSON.stringify(record()), json)
    expect(
      new Set((await rowsOf(next, 'select event_message from edge_logs')).map((row) => row.event_message)),
    ).toEqual(new Set([message]))
    next.child.kill('SIGTERM')
    await next.exit
    const { code, stdout } = await run(['check', dataDir])
    expect([code, stdout.toString()]).toEqual([0, expect.not.stringContaining('mask.key')])
  })

  it('masks each row by the rules before a change or by those after it', { timeout: 120_000 }, async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'masks.toml')
    const rulesWith = (treatment: string) => `[[mask]]\npattern = "S3cr3t"\nwith = "${treatment}"\n`
    writeFileSync(file, rulesWith('***'))
    const service = await serve(['--in-memory', '--sql', '--mask', file])
    let sent = 0
    let isOver = false
    const sending = (async () => {
      for (; !isOver; await wait(5)) {
        const lines = Array.from({ length: 100 }, () =>
          JSON.stringify({ ...record({ metadata: {} }), id: `${sent++}` }),
        )
        service.child.stdin!.write(
          lines
            .join('\n')
            .replaceAll(/S3cr3t\w+/g, 'S3cr3t')
            .concat('\n'),
        )
      }
    })()
    const reads = (number: number) =>
      until(
        async () => service.stderrText().match(/masking by \d+ rule/g)?.length,
        (found) => found === number,
      )
    await reads(1)
    writeFileSync(file, rulesWith('last4'))
    await reads(2)
    writeFileSync(file, rulesWith('none'))
    await service.waitForStderr(/the previous rules stay in force.*masks\.toml line 3: with is/)
    writeFileSync(file, rulesWith('drop'))
    await reads(3)
    await wait(500)
    isOver = true
    await sending
    service.child.stdin!.end()
    await service.waitForStderr(new RegExp(`standard input ended: ${sent} rows accepted, 0 rejected`))
    const rows = await rowsOf(service, 'select event_message as text, count(*) as n from edge_logs group by text')
    expect(rows.reduce((sum, { n }) => sum + Number(n), 0)).toBe(sent)
    expect(new Set(rows.map(({ text }) => text))).toEqual(
      new Set(['GET /?x=*** by joe@example.com', 'GET /?x= by joe@example.com']),
    )
  })

  it.each([
    ['with = "none"', /masks\.toml line 1: a rule has one of path, pattern, builtin/],
    ['builtin = "email"', /masks\.toml line 1: with is "drop"/],
  ])('stops the start with 2 if the file is wrong: %s', async (text, message) => {
    const file = join(temporaryFolder(), 'masks.toml')
    writeFileSync(file, `[[mask]]\n${text}\n`)
    const { code, stderr } = await run(['serve', '--in-memory', '--mask', file])
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
  })
})

describe('logweir mask', () => {
  it('shows records before and after, and counts', async () => {
    const file = join(temporaryFolder(), 'masks.toml')
    writeFileSync(file, '[[mask]]\nbuiltin = "email"\nwith = "***"\n[[mask]]\npath = "a"\nwith = "drop"\n')
    const lines = [
      '{"source":"auth_logs","event_message":"of joe@example.com"}',
      '{"source":"auth_logs","event_message":"of nobody"}',
      'no JSON',
      '',
      '{"event_message":"x@example.com y@example.com","metadata":{"a":1}}',
    ]
    const input = join(temporaryFolder(), 'lines.ndjson')
    writeFileSync(input, lines.join('\n'))
    const { code, stdout, stderr } = await run(['mask', '--test', file], { stdin: openSync(input, 'r') })
    expect(stdout.toString()).toBe(
      `line 1\n- ${lines[0]}\n+ {"source":"auth_logs","event_message":"of ***"}\n` +
        `line 5\n- ${lines[4]}\n+ {"event_message":"*** ***","metadata":{}}\n`,
    )
    expect(stderr).toContain('2 of 3 records are masked: email 3, a 1; 1 lines are no records, and would be rejected')
    expect(code).toBe(0)
  })

  it('says which file to test', async () => {
    const { code, stderr } = await run(['mask'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('logweir mask --test FILE < lines')])
  })
})
