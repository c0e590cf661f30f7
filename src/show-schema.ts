import type { SchemaConfig } from './config.js'
import { applySchema, askDialect, type Dialect, printSchema } from './engine/clickhouse/schema.js'
import { connectServer, type Server } from './engine/clickhouse/server.js'

/** What is printed where no server is given that could be asked for its version. */
const NEWEST: Dialect = { isModern: true }

/**
 * Prints the statements that make the tables, as the server would get them, or creates what is missing there. Gives false
 * where a table is there that is not as it should be. Rejects with a ServerError.
 */
export async function showSchema({ apply, clickhouse }: SchemaConfig, print: (text: string) => void): Promise<boolean> {
  const { url, ...options } = clickhouse
  if (url === undefined) {
    print(printSchema(clickhouse, NEWEST))
    return true
  }
  const server = connectServer({ url, ...options })
  try {
    if (apply) return await create(server, clickhouse, print)
    print(printSchema(clickhouse, await askDialect(server)))
    return true
  } finally {
    await server.close()
  }
}

async function create(
  server: Server,
  layout: SchemaConfig['clickhouse'],
  print: (text: string) => void,
): Promise<boolean> {
  const { created, differing } = await applySchema(server, layout)
  for (const table of created) print(`created ${table}\n`)
  for (const table of differing) print(`left as it is, but not as it should be: ${table}\n`)
  if (created.length + differing.length === 0) print('nothing was missing\n')
  return differing.length === 0
}
