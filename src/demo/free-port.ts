import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { stateError } from '../base/failures.js'

const MAX_PORT = 65_535

/** Returns the first free port of an address, starting at `first`. 0: any free port. Throws `failed` if none is. */
export async function freePort(host: string, first: number): Promise<number> {
  for (let port = first; port <= MAX_PORT; port++) {
    const free = await probe(host, port)
    if (free !== undefined) return free
  }
  throw stateError(`no port from ${first} on is free. Choose a lower one with --port.`)
}

/** Listens on a port for a moment. Returns the port, or undefined if this process cannot listen there. */
async function probe(host: string, port: number): Promise<number | undefined> {
  const server = createServer()
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, host, () => resolve(true))
  })
  if (!isListening) return undefined
  const { port: free } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return free
}
