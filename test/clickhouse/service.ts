import { type Served, serve, temporaryFolder } from '../program/support/program.js'
import type { Cluster } from './cluster.js'
import { USER } from './cluster.js'

/** Starts `logweir serve --engine clickhouse` on a cluster, with a pipe or a file descriptor as standard input. */
export function serveOn(
  cluster: Pick<Cluster, 'urls' | 'name'>,
  { stdin = 'pipe', dataDir = temporaryFolder(), args: more = [] }: ServeOptions = {},
): Promise<Served> {
  const args = ['--engine', 'clickhouse', '--clickhouse-url', cluster.urls[0]!, '--clickhouse-cluster', cluster.name]
  const environment = {
    LOGWEIR_IN_MEMORY: '0',
    LOGWEIR_CLICKHOUSE_USER: USER.name,
    LOGWEIR_CLICKHOUSE_PASSWORD: USER.password,
  }
  return serve([...args, '--data-dir', dataDir, ...more], { environment, stdin })
}

interface ServeOptions {
  stdin?: 'pipe' | number
  dataDir?: string
  /** Further arguments. */
  args?: readonly string[]
}
