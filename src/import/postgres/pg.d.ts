/** The part of node-postgres that an import uses. */
declare module 'pg' {
  /** A connection to a database. PGHOST, PGUSER, PGPASSWORD, ~/.pgpass and so on complete the URL. */
  export class Client {
    constructor(options: {
      connectionString: string
      application_name: string
      connectionTimeoutMillis: number
      keepAlive: boolean
    })
    readonly host: string
    readonly port: number
    readonly database: string | undefined
    readonly user: string
    connect(): Promise<void>
    /** Returns rows as arrays of columns: 64-bit integers as digits, NULL as null. */
    query(query: { text: string; values?: readonly unknown[]; rowMode: 'array' }): Promise<{ rows: unknown[][] }>
    /** Emitted if the connection fails between queries. */
    on(event: 'error', listener: (error: Error) => void): this
    end(): Promise<void>
  }
}
