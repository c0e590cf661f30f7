import type { Postgres } from './postgres.js'

/** Tables as a Logflare with the PostgreSQL backend creates the tables. */

const SCHEMA = '_analytics'

/** A row of a table of log events. A time is an SQL text, or null. */
export interface EventRow {
  id: string
  body: unknown
  message: string | null
  time: string | null
}

/** Creates the schema with the table of sources, which has only some of the real columns. */
export async function createSchema({ run }: Postgres): Promise<void> {
  await run(`CREATE SCHEMA ${SCHEMA}`)
  await run(
    `CREATE TABLE ${SCHEMA}.sources (id bigserial PRIMARY KEY, name varchar(255) NOT NULL, token uuid NOT NULL,
      user_id bigint, inserted_at timestamp(0) NOT NULL DEFAULT now())`,
  )
}

/** Returns the token of the source with this number. */
export const tokenOf = (number: number) => `5ca1ab1e-0000-4000-8000-${String(number).padStart(12, '0')}`

/**
 * Adds a source without rows, with the table and the index of the source's events. Returns the table, with the schema.
 */
export async function addSource({ run }: Postgres, name: string, number: number): Promise<string> {
  await run(`INSERT INTO ${SCHEMA}.sources (name, token) VALUES ($1, $2)`, [name, tokenOf(number)])
  const table = `log_events_${tokenOf(number).replaceAll('-', '_')}`
  await run(
    `CREATE TABLE ${SCHEMA}.${table} (id TEXT PRIMARY KEY, body JSONB, event_message TEXT, timestamp TIMESTAMP);
     CREATE INDEX ${table}_timestamp_brin_idx ON ${SCHEMA}.${table} USING brin (timestamp)`,
  )
  return `${SCHEMA}.${table}`
}

/** Inserts rows. Bodies become JSON. */
export async function insertEvents({ run }: Postgres, table: string, rows: readonly EventRow[]): Promise<void> {
  const values = rows.map(({ body, ...row }) => ({ ...row, body: body === undefined ? null : JSON.stringify(body) }))
  await run(
    `INSERT INTO ${table} (id, body, event_message, timestamp)
     SELECT id, body::jsonb, message, time::timestamp
     FROM json_to_recordset($1) AS (id text, body text, message text, time text)`,
    [JSON.stringify(values)],
  )
}

/**
 * Inserts `count` events as Vector sends events for requests, from number `from` on, `everyUs` microseconds apart from
 * `fromTime` on. The ids are UUIDs in no order, and the bodies have the number.
 */
export async function insertRequests(
  { run }: Postgres,
  table: string,
  { from = 0, count, fromTime, everyUs }: { from?: number; count: number; fromTime: string; everyUs: number },
): Promise<void> {
  await run(
    `INSERT INTO ${table} (id, body, event_message, timestamp)
     SELECT id, jsonb_build_object('id', id, 'timestamp', (extract(epoch FROM time) * 1000000)::bigint,
         'event_message', message, 'project', 'default', 'appname', 'supabase-kong', 'number', n,
         'metadata', jsonb_build_object(
           'request', jsonb_build_object('method', 'GET', 'path', '/rest/v1/items/' || n, 'protocol', 'HTTP/1.1',
             'headers', jsonb_build_object('cf_connecting_ip', '10.0.0.' || n % 250, 'user_agent',
               'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 ' || md5((n % 50)::text))),
           'response', jsonb_build_object('status_code', 200 + n % 5))),
       message, time
     FROM (
       SELECT n, md5(n::text || '${table}')::uuid::text AS id,
         'GET | 200 | 10.0.0.' || n % 250 || ' | /rest/v1/items/' || n AS message,
         '${fromTime}'::timestamp + n::bigint * ${everyUs} * interval '1 microsecond' AS time
       FROM generate_series(${from}, ${from + count - 1}) AS n
     ) AS numbered`,
  )
}
