import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../support/free-port.js'

/** A user with a password. The user `default` has no password. */
export const USER = { name: 'logweir', password: 'weir-secret' }
const CLUSTER = 'logweir_test'

/** Time zones of the servers. The zones differ, so that a dependency of answers on a zone is noticed. */
const TIME_ZONES = ['UTC', 'America/New_York']
const START_MS = 60_000
const LOG_TAIL_CHARACTERS = 4_000

/** Debian installs the server in a folder that is only on the PATH of an administrator. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin', '/usr/local/bin']

export const WHY_NO_SERVER =
  'there is no program clickhouse-server, neither on the PATH nor in /usr/sbin ' +
  '(Debian has it as the package clickhouse-server)'

/** Returns the path of the program. Undefined if there is no program, which WHY_NO_SERVER explains. */
export function findServer(): string | undefined {
  return FOLDERS.filter((folder) => folder !== '')
    .map((folder) => join(folder, 'clickhouse-server'))
    .find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A ClickHouse server on loopback, with tables in a temporary folder. */
export interface Server {
  /** The URL of the HTTP interface, without a slash at the end. */
  url: string
  /** Kills the server, as a crash does. Resolves when the process has ended. */
  kill(): Promise<void>
  /** Restarts the server with the same tables and ports. */
  start(): Promise<void>
  /** Stops the server and removes the tables. */
  stop(): Promise<void>
}

/** Two servers, each a shard of the cluster `name`. The configuration of both servers has the cluster. */
export interface Cluster {
  name: string
  urls: string[]
  kill(shard: number): Promise<void>
  start(shard: number): Promise<void>
  stop(): Promise<void>
}

interface Ports {
  host: string
  http: number
  tcp: number
  interserver: number
}

/** Starts a server without a cluster. */
export async function startServer(): Promise<Server> {
  const [ports] = await freePorts(1)
  const server = newServer(ports!, TIME_ZONES[0]!)
  await startAll([server])
  return server
}

/** The hosts of the shards: the same host with different HTTP ports, or a host for each shard. */
const HOSTS = { same: ['127.0.0.1', '127.0.0.1'], own: ['127.0.0.1', '127.0.0.2'] }

/**
 * Starts two shards of one replica each, with the same HTTP port if the shards have different hosts. Throws with the
 * end of the log of a server that does not start.
 */
export async function startCluster(hosts: keyof typeof HOSTS = 'same'): Promise<Cluster> {
  const free = await freePorts(TIME_ZONES.length)
  const ports = free.map((one, i) => ({
    ...one,
    host: HOSTS[hosts][i]!,
    http: hosts === 'own' ? free[0]!.http : one.http,
  }))
  const servers = TIME_ZONES.map((timeZone, i) => newServer(ports[i]!, timeZone, ports))
  await startAll(servers)
  return {
    name: CLUSTER,
    urls: servers.map(({ url }) => url),
    kill: (shard) => servers[shard]!.kill(),
    start: (shard) => servers[shard]!.start(),
    stop: () => stopAll(servers),
  }
}

const shared = new Map<string, Promise<Cluster>>()

/**
 * Returns the cluster that the test files of this process share, which ends with the process. Not for tests that kill a
 * shard: an old server that is started after a kill has the rows again that TRUNCATE had removed shortly before.
 */
export function sharedCluster(hosts: keyof typeof HOSTS = 'same'): Promise<Cluster> {
  const cluster = shared.get(hosts) ?? startCluster(hosts)
  shared.set(hosts, cluster)
  return cluster
}

async function startAll(servers: readonly Server[]): Promise<void> {
  const started = await Promise.allSettled(servers.map((server) => server.start()))
  const failed = started.find(({ status }) => status === 'rejected')
  if (failed === undefined) return
  await stopAll(servers)
  throw (failed as PromiseRejectedResult).reason
}

async function stopAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()))
}

function newServer(ports: Ports, timeZone: string, shards: readonly Ports[] = []): Server {
  const program = findServer()
  if (program === undefined) throw new Error(WHY_NO_SERVER)
  const folder = mkdtempSync(join(tmpdir(), 'logweir-clickhouse-'))
  const log = join(folder, 'server.log')
  const url = `http://${ports.host}:${ports.http}`
  let running: { child: ChildProcess; guard: ChildProcess } | undefined
  mkdirSync(join(folder, 'tmp'))
  writeFileSync(join(folder, 'users.xml'), USERS)
  writeFileSync(join(folder, 'config.xml'), configOf(folder, ports, timeZone, shards))

  async function kill() {
    if (running === undefined) return
    const { child, guard } = running
    running = undefined
    // The guard ends first: later, another process may have the process id that the guard would kill.
    await end(guard)
    await end(child)
  }

  async function start() {
    if (running !== undefined) throw new Error(`the server at ${url} runs already`)
    const output = openSync(join(folder, 'output.log'), 'a')
    const child = spawn(program!, [`--config-file=${join(folder, 'config.xml')}`], {
      stdio: ['ignore', output, output],
      cwd: folder,
    })
    closeSync(output)
    await once(child, 'spawn')
    running = { child, guard: guardOf(child.pid!, folder) }
    try {
      await answers(url, child)
    } catch (error) {
      await kill()
      throw new Error(
        `${(error as Error).message}. Its log ends so:\n${tailOf(join(folder, 'output.log'))}\n${tailOf(log)}`,
      )
    }
  }

  async function stop() {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  }
  return { url, kill, start, stop }
}

/**
 * Starts a guard that kills a server and removes the folder if this process ends without doing so: the pipe to the
 * standard input of the guard is closed then. The guard ignores signals to all processes of the terminal.
 */
function guardOf(pid: number, folder: string): ChildProcess {
  const script = 'trap "" INT TERM HUP; cat >/dev/null; kill -9 "$0"; sleep 1; rm -rf "$1"'
  const guard = spawn('/bin/sh', ['-c', script, String(pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  guard.stdin!.on('error', () => {})
  return guard
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

/** Resolves when the server answers. Rejects if the server ends, or does not answer within START_MS. */
async function answers(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_MS
  while (!(await pings(url))) {
    const ended = child.exitCode ?? child.signalCode
    if (ended !== null) throw new Error(`the server for ${url} ended (${ended}) before it answered`)
    if (performance.now() > deadline) throw new Error(`the server at ${url} does not answer after ${START_MS} ms`)
    await pause(50)
  }
}

async function pings(url: string): Promise<boolean> {
  try {
    return (await (await fetch(`${url}/ping`, { signal: AbortSignal.timeout(1_000) })).text()) === 'Ok.\n'
  } catch {
    return false
  }
}

function tailOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8').slice(-LOG_TAIL_CHARACTERS) : ''
}

async function freePorts(servers: number): Promise<Ports[]> {
  const free = new Set<number>()
  while (free.size < 3 * servers) free.add(await freePort())
  const [...ports] = free
  return Array.from({ length: servers }, (_, i) => {
    const [http, tcp, interserver] = ports.slice(3 * i)
    return { host: HOSTS.same[0]!, http: http!, tcp: tcp!, interserver: interserver! }
  })
}

const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

const NETWORKS = '<networks><ip>127.0.0.0/8</ip><ip>::1</ip></networks><profile>default</profile><quota>default</quota>'

/**
 * The limits bound the wait for a shard that hangs (three tries of each). A server applies the limits to connections to
 * other shards, regardless of the settings of a request.
 */
const USERS = `<yandex>
  <profiles><default>
    <connect_timeout>2</connect_timeout>
    <receive_timeout>5</receive_timeout>
    <send_timeout>5</send_timeout>
    <background_pool_size>2</background_pool_size>
  </default></profiles>
  <quotas><default></default></quotas>
  <users>
    <default><password></password>${NETWORKS}</default>
    <${USER.name}><password>${xml(USER.password)}</password>${NETWORKS}</${USER.name}>
  </users>
</yandex>
`

/** Caches are small because several servers share the machine with the tests. */
function configOf(folder: string, ports: Ports, timeZone: string, shards: readonly Ports[]): string {
  const place = (name: string) => xml(join(folder, name))
  return `<yandex>
  <logger><level>warning</level><log>${place('server.log')}</log></logger>
  <listen_host>${ports.host}</listen_host>
  <http_port>${ports.http}</http_port>
  <tcp_port>${ports.tcp}</tcp_port>
  <interserver_http_port>${ports.interserver}</interserver_http_port>
  <path>${place('data')}/</path>
  <tmp_path>${place('tmp')}/</tmp_path>
  <user_files_path>${place('user_files')}/</user_files_path>
  <format_schema_path>${place('format_schemas')}/</format_schema_path>
  <users_config>${place('users.xml')}</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <timezone>${timeZone}</timezone>
  <max_concurrent_queries>100</max_concurrent_queries>
  <mark_cache_size>16777216</mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <merge_tree><old_parts_lifetime>1</old_parts_lifetime></merge_tree>
  <remote_servers>${clusterOf(shards)}</remote_servers>
</yandex>
`
}

/** Each shard writes to its single replica itself, without a queue. */
function clusterOf(shards: readonly Ports[]): string {
  const user = `<user>${USER.name}</user><password>${xml(USER.password)}</password>`
  const shardOf = ({ host, tcp }: Ports) =>
    '<shard><internal_replication>true</internal_replication>' +
    `<replica><host>${host}</host><port>${tcp}</port>${user}</replica></shard>`
  return shards.length === 0 ? '' : `<${CLUSTER}>${shards.map(shardOf).join('')}</${CLUSTER}>`
}
