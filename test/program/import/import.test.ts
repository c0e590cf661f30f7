import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWhere } from '../../clickhouse/needs.js'
import { addSource, createSchema, type EventRow, insertEvents, insertRequests, tokenOf } from '../support/logflare.js'
import { findPostgres, type Postgres, startPostgres, WHY_NO_POSTGRES } from '../support/postgres.js'
import { serve, temporaryFolder } from '../support/program.js'
import { importInto, storedRows } from '../support/run-import.js'

const DAY_MS = 86_400_000
/** A moment some days ago, as PostgreSQL and logweir write moments, with microseconds. */
const MOMENT = `${new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 19)}.123456`
const MOMENT_US = Date.parse(`${MOMENT.slice(0, 23)}Z`) * 1000 + 456

const day = (daysFromNow: number) => new Date(Date.now() + daysFromNow * DAY_MS).toISOString().slice(0, 10)

/** A row of that moment. */
const event = (id: string, body: unknown, message: string | null = null): EventRow => ({
  ...{ id, body, message },
  time: MOMENT,
})

describeWhere(findPostgres(), 'postgresql', WHY_NO_POSTGRES, 'logweir import', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.stop())

  /** Creates the tables of a Logflare, for a single test. */
  async function logflare() {
    await postgres.run('DROP SCHEMA IF EXISTS _analytics CASCADE')
    await createSchema(postgres)
    let number = 0
    return {
      dataDir: join(temporaryFolder(), 'new', 'data'),
      add: (name: string) => addSource(postgres, name, ++number),
    }
  }

  it('keeps ids, times, messages and records as they are', async () => {
    const { dataDir, add } = await logflare()
    const edge = await add('cloudflare.logs.prod')
    await insertEvents(postgres, edge, [
      event(
        'plain',
        { id: 'plain', timestamp: MOMENT_US, event_message: 'GET', project: 'default', metadata: { a: 1 } },
        'GET',
      ),
      // The columns of the row win over the record.
      event(
        'own id',
        { id: 'other', timestamp: 1, event_message: 'other', project: 'default' },
        'line 1\n"2"\\\u0001é😀',
      ),
      event('', { project: 'p', metadata: [{ request: [{ path: '/a' }] }], appname: 'kong' }),
      event('\u2028"quoted"', { message: 'kept', project: 'p' }, 'other message'),
      event('no message', { message: 'from the record', event_message: null, project: 'p' }),
      event('no body', undefined, 'only a message'),
      event('null body', null, 'JSON null'),
      event('empty', {}, 'nothing in it'),
      event('of docker', { source: 'stdout', project: 'p' }),
      event('of another source', { source: 'postgres_logs', project: 'p' }),
    ])
    await postgres.run(
      `INSERT INTO ${edge} VALUES ('numbers', '{"project":"p","big":9007199254740993,"tiny":1.10}', null, '${MOMENT}')`,
    )
    const { lines } = await importInto(dataDir, postgres)
    expect(lines).toEqual([
      'cloudflare.logs.prod as edge_logs: 10 rows imported, 0 already there, 0 past retention, 1 rejected',
    ])
    const rows = await storedRows(dataDir, 'edge_logs', ['id', 'timestamp', 'project', 'event_message', 'metadata'])
    expect(rows.every(([, us]) => us === MOMENT_US)).toBe(true)
    const byId = Object.fromEntries(rows.map(([id, , ...others]) => [id, others.map(String)]))
    // With the spaces that PostgreSQL writes.
    expect(byId).toEqual({
      plain: ['default', 'GET', '{"a": 1}'],
      'own id': ['default', 'line 1\n"2"\\\u0001é😀', '{}'],
      '': ['p', '', '[{"request": [{"path": "/a"}],"appname": "kong"}]'],
      '\u2028"quoted"': ['p', 'other message', '{"message": "kept"}'],
      'no message': ['p', 'from the record', '{}'],
      'no body': ['null', 'only a message', '{}'],
      empty: ['null', 'nothing in it', '{}'],
      'of docker': ['p', '', '{"source": "stdout"}'],
      'of another source': ['p', '', '{}'],
      numbers: ['p', '', '{"big": 9007199254740993,"tiny": 1.10}'],
    })
  })

  it('rejects what is no record into the file of rejects, and counts rows of other times', async () => {
    const { dataDir, add } = await logflare()
    const edge = await add('cloudflare.logs.prod')
    const at = (id: string, time: string | null): EventRow => ({ id, body: { project: 'p' }, message: id, time })
    await insertEvents(postgres, edge, [
      event('list', [1, 2]),
      event('text', 'a text'),
      event('metadata', { metadata: 'a text' }, 'm'),
      at('ahead', day(3)),
      at('old', day(-91)),
      at('older', '1969-12-31'),
      at('very old', '0044-03-15 BC'),
      at('never', null),
      at('infinite', 'infinity'),
      at('far ahead', '10000-01-01'),
      at('early', day(-80)),
      at('late', day(-2)),
    ])
    const { lines } = await importInto(dataDir, postgres, '--until', day(-10))
    expect(lines).toEqual([
      'cloudflare.logs.prod as edge_logs: 1 rows imported, 0 already there, 3 past retention, 0 rejected, ' +
        '5 not before --until, 3 without a time left out',
    ])
    expect((await importInto(dataDir, postgres)).lines).toEqual([
      'cloudflare.logs.prod as edge_logs: 1 rows imported, 1 already there, 3 past retention, 4 rejected, ' +
        '3 without a time left out',
    ])
    const rejects = readFileSync(join(dataDir, 'rejects.ndjson'), 'utf8').split('\n').slice(0, -1)
    expect(rejects.map((line) => JSON.parse(line).reason).sort()).toEqual([
      ...['invalid_field', 'not_an_object', 'not_an_object', 'too_far_ahead'],
    ])
    expect((await importInto(dataDir, postgres, '--retention-days', '20')).lines).toEqual([
      'cloudflare.logs.prod as edge_logs: 0 rows imported, 1 already there, 4 past retention, 4 rejected, ' +
        '3 without a time left out',
    ])
  })

  it('imports the tables of all nine sources, and skips others by name', async () => {
    const { dataDir, add } = await logflare()
    const names = ['postgres.logs', 'gotrue.logs.prod', 'my.own.source', 'postgres_logs', 'pgbouncer.logs.prod']
    for (const name of names) {
      await insertEvents(postgres, await add(name), [event(`of ${name}`, { project: 'p' })])
    }
    await add('realtime.logs.prod')
    await postgres.run(`DELETE FROM _analytics.sources WHERE name = 'pgbouncer.logs.prod'`)
    const { lines, stderr } = await importInto(dataDir, postgres)
    expect({ lines, stderr }).toEqual({
      lines: [
        'postgres.logs as postgres_logs: 1 rows imported, 0 already there, 0 past retention, 0 rejected',
        'gotrue.logs.prod as auth_logs: 1 rows imported, 0 already there, 0 past retention, 0 rejected',
        'postgres_logs as postgres_logs: 1 rows imported, 0 already there, 0 past retention, 0 rejected',
        'realtime.logs.prod as realtime_logs: 0 rows imported, 0 already there, 0 past retention, 0 rejected',
        'in total: 3 rows imported, 0 already there, 0 past retention, 0 rejected',
      ],
      stderr:
        'logweir: source "my.own.source" is skipped: logweir has no such source\n' +
        `logweir: table log_events_${tokenOf(5).replaceAll('-', '_')} is skipped: ` +
        'no source of Logflare has this token\n',
    })
    expect(await storedRows(dataDir, 'postgres_logs', ['id'])).toEqual([['of postgres.logs'], ['of postgres_logs']])
    expect(await storedRows(dataDir, 'pgbouncer_logs', ['id'])).toEqual([])
  })

  it('imports the tables of own sources, if they are configured', async () => {
    const { dataDir, add } = await logflare()
    await insertEvents(postgres, await add('nginx'), [event('own', { project: 'p', source: 'edge_logs' })])
    const { lines } = await importInto(dataDir, postgres, '--sources', 'nginx')
    expect(lines).toEqual(['nginx as nginx: 1 rows imported, 0 already there, 0 past retention, 0 rejected'])
    expect((await importInto(dataDir, postgres, '--sources', 'nginx')).lines[0]).toContain('1 already there')
    expect(await storedRows(dataDir, 'nginx', ['id'])).toEqual([['own']])
  })

  it('imports only new rows the next time, whatever their time is, into a directory that a service had', async () => {
    const { dataDir, add } = await logflare()
    const edge = await add('cloudflare.logs.prod')
    const rows = { fromTime: MOMENT, everyUs: 7 }
    await insertRequests(postgres, edge, { ...rows, count: 5_000 })
    const service = await serve(['--data-dir', dataDir])
    service.child.stdin!.end(`{"source":"edge_logs","id":"of vector","project":"p","timestamp":"${MOMENT}"}\n`)
    await service.waitForStderr(/standard input ended: 1 rows accepted/)
    service.child.kill('SIGTERM')
    await service.exit
    const prefix = 'cloudflare.logs.prod as edge_logs:'
    const counts = async () => (await importInto(dataDir, postgres)).lines
    expect(await counts()).toEqual([`${prefix} 5000 rows imported, 0 already there, 0 past retention, 0 rejected`])
    expect(await counts()).toEqual([`${prefix} 0 rows imported, 5000 already there, 0 past retention, 0 rejected`])
    // Many events at a single moment among the others, and some events before all others.
    await insertRequests(postgres, edge, { from: 5_000, count: 6_000, fromTime: MOMENT, everyUs: 0 })
    await insertRequests(postgres, edge, { from: 11_000, count: 10, fromTime: day(-80), everyUs: 1e6 })
    expect(await counts()).toEqual([`${prefix} 6010 rows imported, 5000 already there, 0 past retention, 0 rejected`])
    const stored = await storedRows(dataDir, 'edge_logs', ['id', 'timestamp'])
    const expected = await postgres.run(`SELECT id, (extract(epoch FROM timestamp) * 1000000)::bigint FROM ${edge}`)
    expected.push(['of vector', MOMENT_US])
    const texts = (all: unknown[][]) => all.map(([id, us]) => `${id} ${us}`).sort()
    expect(texts(stored)).toEqual(texts(expected))
  })
})
