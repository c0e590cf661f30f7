import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { describeWhere } from '../../clickhouse/needs.js'
import { addSource, createSchema, insertRequests } from '../support/logflare.js'
import { findPostgres, POSTGRES_USER, type Postgres, startPostgres, WHY_NO_POSTGRES } from '../support/postgres.js'
import { run, serve, start, temporaryFolder, until } from '../support/program.js'
import { importArgs, NO_POSTGRES_VARIABLES } from '../support/run-import.js'

/** Runs an import that fails. Expects that the import has created no directory. Returns the exit code and the error. */
async function refusal(url: string, args: readonly string[] = [], environment: Record<string, string> = {}) {
  const dataDir = join(temporaryFolder(), 'data')
  const variables = { ...NO_POSTGRES_VARIABLES, ...environment }
  const { code, stdout, stderr } = await run(importArgs(url, dataDir, ...args), { environment: variables })
  expect([existsSync(dataDir), stdout.toString()]).toEqual([false, ''])
  expect(stderr).not.toContain('secret')
  return { code, stderr }
}

describeWhere(findPostgres(), 'postgresql', WHY_NO_POSTGRES, 'an import that PostgreSQL refuses', () => {
  let postgres: Postgres
  let table: string
  const place = (database: string, user: string = POSTGRES_USER.name) =>
    `logweir: PostgreSQL at 127.0.0.1:${postgres.port}, database ${database}, user ${user}`
  beforeAll(async () => {
    postgres = await startPostgres()
    await createSchema(postgres)
    table = await addSource(postgres, 'cloudflare.logs.prod', 1)
    await insertRequests(postgres, table, { count: 10, fromTime: 'yesterday', everyUs: 1 })
    await postgres.run(`CREATE ROLE reader LOGIN PASSWORD 'secret'`)
  })
  afterAll(() => postgres?.stop())

  it('says that the password is wrong, without it', async () => {
    const url = postgres.url('postgres', { name: 'supabase_admin', password: 'secret' })
    const message =
      `${place('postgres')}: password authentication failed for user "supabase_admin". ` +
      'Check the password in the URL, in PGPASSWORD or in ~/.pgpass.\n'
    expect(await refusal(url)).toEqual({ code: 1, stderr: message })
    const withoutPassword = postgres.url('postgres', { name: 'supabase_admin' })
    expect(await refusal(withoutPassword, [], { PGPASSWORD: 'secret' })).toEqual({ code: 1, stderr: message })
    expect(await refusal(withoutPassword)).toEqual({
      code: 1,
      stderr: `${place('postgres')}: a password is needed. Set it in PGPASSWORD, ~/.pgpass or the URL.\n`,
    })
  })

  it('takes user and password from the variables of PostgreSQL', async () => {
    const environment = { ...NO_POSTGRES_VARIABLES, PGPASSWORD: POSTGRES_USER.password, PGUSER: POSTGRES_USER.name }
    const url = `postgres://127.0.0.1:${postgres.port}/postgres`
    const { code, stderr } = await run(importArgs(url, temporaryFolder()), { environment })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('says which database or schema is missing', async () => {
    const inSupabase =
      'A self-hosted Supabase has them in the database _supabase, older ones in the database postgres.\n'
    expect(await refusal(postgres.url('_supabase'))).toEqual({
      code: 1,
      stderr:
        `${place('_supabase')}: database "_supabase" does not exist. ` +
        `Name the database of Logflare's tables at the end of the URL. ${inSupabase}`,
    })
    const noSources = (schema: string) =>
      `there is no table "sources" in the schema "${schema}", so this is no database of Logflare. ` +
      `Name another database at the end of the URL, or another --schema. ${inSupabase}`
    expect(await refusal(postgres.url('template1'))).toEqual({
      code: 1,
      stderr: `${place('template1')}: ${noSources('_analytics')}`,
    })
    expect(await refusal(postgres.url(), ['--schema', 'public'])).toEqual({
      code: 1,
      stderr: `${place('postgres')}: ${noSources('public')}`,
    })
  })

  it('says which right is missing, and works with the rights that it names', async () => {
    const url = postgres.url('postgres', { name: 'reader', password: 'secret' })
    const { code, stderr } = await refusal(url)
    const [, grants = ''] = /or grant the rights: (.*)\.\n$/.exec(stderr) ?? []
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        `${place('postgres', 'reader')}: permission denied for schema _analytics. Connect as the user that Logflare ` +
        `has (supabase_admin), or grant the rights: ${grants}.\n`,
    })
    await postgres.run(grants)
    const { code: then, stderr: noError } = await run(importArgs(url, temporaryFolder()))
    expect([then, noError]).toEqual([0, ''])
  })

  it('says that the connection was lost, and continues after that', async () => {
    const dataDir = temporaryFolder()
    await insertRequests(postgres, table, { from: 10, count: 30_000, fromTime: 'yesterday', everyUs: 1 })
    const program = start(importArgs(postgres.url(), dataDir))
    const ended = until(
      () =>
        postgres.run(
          `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
          WHERE application_name = 'logweir import' AND query LIKE '%event_message%'`,
        ),
      ([[count]]) => Number(count) > 0,
    )
    expect(await program.exit).toBe(1)
    await ended
    expect(program.stderrText()).toMatch(
      /: the connection was lost \(.*\)\. Run the same command again: it continues where this one stopped\.\n$/,
    )
    const again = await run(importArgs(postgres.url(), dataDir))
    const [, imported, there] = /: (\d+) rows imported, (\d+) already there/.exec(again.stdout.toString())!
    expect(Number(imported) + Number(there)).toBe(30_010)
  })

  it('refuses the data directory of an import that runs', async () => {
    const dataDir = temporaryFolder()
    // Until that is cancelled, the first import waits for the table.
    const locked = expect(postgres.run(`LOCK TABLE ${table}; SELECT pg_sleep(60)`)).rejects.toThrow(
      'canceling statement',
    )
    const first = start(importArgs(postgres.url(), dataDir))
    await until(
      async () => existsSync(join(dataDir, 'format.json')),
      (isThere) => isThere,
    )
    const { code, stderr } = await run(importArgs(postgres.url(), dataDir))
    expect([code, stderr]).toEqual([1, expect.stringContaining(`is in use by process ${first.child.pid}. `)])
    const sleeping = `query LIKE 'LOCK TABLE%' AND pid <> pg_backend_pid()`
    await postgres.run(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE ${sleeping}`)
    await locked
    expect(await first.exit).toBe(0)
  })

  it('refuses the data directory of a service over ClickHouse', async () => {
    const dataDir = temporaryFolder()
    mkdirSync(join(dataDir, 'unconfirmed'))
    const { code, stderr } = await run(importArgs(postgres.url(), dataDir))
    expect([code, stderr]).toEqual([
      1,
      `logweir: The data directory ${dataDir} is that of a service with --engine clickhouse, whose rows are on the ` +
        'server. Import into a new directory, then send its rows to the server: logweir export --to clickhouse\n',
    ])
    expect(readdirSync(dataDir)).not.toContain('edge_logs')
  })

  it('refuses the data directory of a service that runs', async () => {
    const dataDir = temporaryFolder()
    const service = await serve(['--data-dir', dataDir])
    const { code, stdout, stderr } = await run(importArgs(postgres.url(), dataDir))
    expect({ code, stdout: stdout.toString(), stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `logweir: The data directory ${dataDir} is in use by process ${service.child.pid}. ` +
        'Stop that one, or give another --data-dir.\n',
    })
  })
})

describe('an import without a PostgreSQL', () => {
  it('says that no server answers', async () => {
    const { code, stderr } = await refusal('postgresql://u:secret@127.0.0.1:9/db')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'logweir: PostgreSQL at 127.0.0.1:9 does not answer (ECONNREFUSED). Check host and port in the URL; ' +
        'a database in a container is only reached from its network, or through a published port.\n',
    })
  })

  it('refuses what is no URL of PostgreSQL, without showing it', async () => {
    for (const url of ['postgresql//u:secret@h/db', 'http://u:secret@h/db']) {
      expect(await refusal(url)).toEqual({
        code: 2,
        stderr:
          'logweir: the address of the database is no URL such as ' +
          'postgresql://supabase_admin@127.0.0.1:5432/_supabase\n',
      })
    }
  })

  it.runIf(process.platform === 'linux')('hides the password from the other users of the machine', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await new Promise((resolve) => silent.once('listening', resolve))
    const { port } = silent.address() as { port: number }
    const { child } = start(importArgs(`postgresql://u:secret@127.0.0.1:${port}/db`, temporaryFolder()))
    await new Promise((resolve) => silent.once('connection', resolve))
    expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')).toMatch(/^logweir import\0*$/)
  })
})
