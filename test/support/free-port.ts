import { createServer } from 'node:net'

/** Above all ports that `fetch` refuses. The last refused port is 10080. */
const LEAST_PORT = 11_000
const PORTS = 20_000

/**
 * Returns a free port below the ephemeral range: while nothing listens there, no connection takes the port, or connects
 * to itself there.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LEAST_PORT + Math.floor(Math.random() * PORTS)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
