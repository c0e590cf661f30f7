import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from '../../support/free-port.js'

/** Debian installs each major version into a folder of its own. */
const VERSIONS = '/usr/lib/postgresql'
const START_MS = 60_000
const POLL_MS = 50

export const WHY_NO_POSTGRES = `there is no PostgreSQL in ${VERSIONS} (Debian has it as the package postgresql)`

/** Returns the folder of the programs of the newest PostgreSQL, or undefined if PostgreSQL is not installed. */
export function findPostgres(): string | undefined {
  if (!existsSync(VERSIONS)) return undefined
  const versions = readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a))
  return versions.map((version) => join(VERSIONS, version, 'bin')).find((folder) => existsSync(join(folder, 'initdb')))
}

export const POSTGRES_USER = { name: 'supabase_admin', password: 'p%s/w:ord@' }

/** A PostgreSQL server on loopback, with files in a temporary folder. */
export interface Postgres {
  port: number
  /** Returns the URL of a database, for the administrator, with the password. */
  url(database?: string, user?: { name: string; password?: string }): string
  /** Runs statements, or a single statement with `values`. Returns the rows of the last statement. */
  // biome-ignore lint/suspicious/noExplicitAny: rows are of any columns
  run(sql: string, values?: readonly unknown[], database?: string): Promise<any[][]>
  stop(): Promise<void>
}

/** Starts a server with an empty cluster. If the server does not start, throws with the server's log. */
export async function startPostgres(): Promise<Postgres> {
  const programs = findPostgres()
  if (programs === undefined) throw new Error(WHY_NO_POSTGRES)
  const folder = mkdtempSync(join(tmpdir(), 'logweir-postgres-'))
  const user = unprivileged()
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, POSTGRES_USER.password)
  for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid)
  const data = join(folder, 'data')
  const initdb = ['-D', data, '-U', POSTGRES_USER.name, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8']
  const made = spawnSync(join(programs, 'initdb'), [...initdb, '--no-sync', '--locale=C.UTF-8'], {
    ...user,
    cwd: folder,
  })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  const port = await freePort()
  const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: folder, fsync: 'off' }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(join(programs, 'postgres'), ['-D', data, ...options], { ...user, cwd: folder, stdio: 'pipe' })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    log = (log + piece).slice(-4000)
  })
  child.stdout.resume()
  const exit = once(child, 'exit')

  const url = (database = 'postgres', { name, password } = POSTGRES_USER as { name: string; password?: string }) => {
    const secret = password === undefined ? '' : `:${encodeURIComponent(password)}`
    return `postgresql://${name}${secret}@127.0.0.1:${port}/${database}`
  }
  async function run(sql: string, values: readonly unknown[] = [], database?: string) {
    const client = new Client({
      connectionString: url(database),
      application_name: 'test',
      connectionTimeoutMillis: START_MS,
      keepAlive: true,
    })
    await client.connect()
    try {
      const query = values.length === 0 ? { text: sql } : { text: sql, values }
      const result = await client.query({ ...query, rowMode: 'array' })
      const last = Array.isArray(result) ? result.at(-1) : result
      return last.rows
    } finally {
      await client.end()
    }
  }
  async function stop() {
    // A fast shutdown, which ends connections.
    child.kill('SIGINT')
    await exit
    rmSync(folder, { recursive: true, force: true })
  }
  for (const deadline = performance.now() + START_MS; ; await wait(POLL_MS)) {
    try {
      await run('SELECT 1')
      return { port, url, run, stop }
    } catch (error) {
      if (performance.now() < deadline && child.exitCode === null) continue
      await stop()
      throw new Error(`PostgreSQL does not start (${(error as Error).message}): ${log}`)
    }
  }
}

/** Returns a user that may run a server, which refuses to run as root. */
function unprivileged(): { uid: number; gid: number } {
  const [uid, gid] = [process.getuid!(), process.getgid!()]
  if (uid !== 0) return { uid, gid }
  const [, id, group] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? []
  return { uid: Number(id ?? 65_534), gid: Number(group ?? 65_534) }
}
