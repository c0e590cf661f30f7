import { createSerialQueue } from '../../base/scheduling/serial-queue.js'
import { explainConnecting, explainQuery, type Place } from './errors.js'

/** A connection that only reads. */
export interface Connection {
  /** For messages. */
  place: Place
  /**
   * Returns the rows of a query as arrays of columns: 64-bit integers as digits, NULL as null. Queries run in turn, in
   * the order of the calls. Throws `failed` with server, database and remedy.
   */
  read(sql: string, values?: readonly unknown[]): Promise<unknown[][]>
  /** Closes the connection. Never rejects. */
  close(): Promise<void>
}

const CONNECT_MS = 10_000

/**
 * Starts the transaction of a query. The settings end with the transaction, since a connection pool may give the
 * session to others. The role's timeout is for interactive queries. Sequential scans are avoided since the planner
 * prefers them to the BRIN index of a table without statistics. The added cost would start the compiler (JIT) even for
 * small tables.
 */
const BEGIN = [
  'BEGIN READ ONLY',
  ...['statement_timeout = 0', "timezone = 'UTC'", 'enable_seqscan = off', 'jit = off'].map(
    (one) => `SET LOCAL ${one}`,
  ),
].join('; ')

/**
 * Connects to a database. PGHOST, PGPORT, PGUSER, PGPASSWORD and ~/.pgpass complete the URL. Throws `failed` with
 * server, database and remedy.
 */
export async function connect(url: string): Promise<Connection> {
  // Loaded only here: no other command needs `pg`.
  const { Client } = await import('pg')
  const client = new Client({
    connectionString: url,
    application_name: 'logweir import',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  })
  // Without a listener, a connection that fails between queries would end the process. The next query reports it.
  client.on('error', () => {})
  const { host, port, user } = client
  const place: Place = { server: `${host}:${port}`, database: client.database ?? user, user }
  const query = (text: string, values?: readonly unknown[]) =>
    client.query({ text, values: values ?? [], rowMode: 'array' })

  const queue = createSerialQueue()

  const read: Connection['read'] = (sql, values) =>
    queue.run(async () => {
      try {
        await query(BEGIN)
        const { rows } = await query(sql, values)
        await query('COMMIT')
        return rows
      } catch (error) {
        throw explainQuery(error, place)
      }
    })

  try {
    await client.connect()
  } catch (error) {
    throw explainConnecting(error, place)
  }
  return { place, read, close: () => client.end().catch(() => {}) }
}
