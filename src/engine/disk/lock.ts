import { lstat, open, rename, unlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { LogweirError } from '../../base/errors.js'

const LOCK_NAME = 'lock'
/** What a socket's address has room for on every system, in bytes. */
const MAX_ADDRESS_BYTES = 100
/** A holder that is alive but too busy to answer holds the lock all the same. */
const ANSWER_MS = 2_000

/**
 * Takes a directory for this process until the returned function is called or the process ends, however it ends: the lock is
 * a listening socket, which the kernel closes with its process, so that none is ever left behind by a dead one, and which
 * is seen from another container that has the same directory. Throws `data_dir_in_use` where another process has it,
 * `data_dir_unusable` where the file system has no sockets.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const { address, close } = await addressOf(directory)
  const server = createServer((socket) => socket.on('error', () => {}).end(`${process.pid}`))
  try {
    await take(server, address, directory)
  } finally {
    await close()
  }
  server.unref()
  return () => release(server, join(directory, LOCK_NAME))
}

async function take(server: Server, address: string, directory: string): Promise<void> {
  for (let isRetry = false; ; isRetry = true) {
    const error = await tryToListen(server, address)
    if (error === undefined) return
    if (error.code !== 'EADDRINUSE') throw unusable(directory, error)
    const holder = await holderOf(address)
    if (holder !== undefined || isRetry) throw inUse(directory, holder)
    await removeStale(address, directory)
  }
}

function tryToListen(server: Server, address: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    server.once('error', resolve)
    server.listen(address, () => {
      server.off('error', resolve)
      resolve(undefined)
    })
  })
}

/** What the process behind the socket says of itself: its id, or nothing as yet; undefined where no process is behind it. */
function holderOf(address: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = ''
    const socket = connect(address)
    socket.setTimeout(ANSWER_MS, () => socket.destroy())
    socket.on('data', (bytes) => void (said += bytes))
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED' || code === 'ENOENT') resolve(undefined)
    })
    socket.on('close', () => resolve(said))
  })
}

/**
 * Moves the socket of a dead process away. Two starters may find the same one: who then has moved away the other's fresh
 * socket sees it answer, and moves it back.
 */
async function removeStale(address: string, directory: string): Promise<void> {
  const aside = `${address}.${process.pid}`
  const stale = await lstat(address).catch(() => undefined)
  if (stale?.isSocket() === false) throw unusable(directory, new Error(`${LOCK_NAME} is there and is no socket`))
  await rename(address, aside).catch(() => {})
  const holder = await holderOf(aside)
  if (holder === undefined) return unlink(aside).catch(() => {})
  await rename(aside, address)
  throw inUse(directory, holder)
}

async function release(server: Server, path: string): Promise<void> {
  await new Promise((resolve) => server.close(resolve))
  await unlink(path).catch(() => {})
}

/** Linux reaches a directory with a long path through its descriptor. */
async function addressOf(directory: string): Promise<{ address: string; close(): Promise<void> }> {
  const address = join(directory, LOCK_NAME)
  if (Buffer.byteLength(address) <= MAX_ADDRESS_BYTES || process.platform !== 'linux') {
    return { address, close: async () => {} }
  }
  const handle = await open(directory, 'r')
  return { address: `/proc/self/fd/${handle.fd}/${LOCK_NAME}`, close: () => handle.close() }
}

function inUse(directory: string, holder: string | undefined): LogweirError {
  const who = holder ? `process ${holder}` : 'another process'
  return new LogweirError(
    'data_dir_in_use',
    `The data directory ${directory} is in use by ${who}. Stop that one, or give another --data-dir.`,
  )
}

function unusable(directory: string, { message }: Error): LogweirError {
  return new LogweirError(
    'data_dir_unusable',
    `The data directory ${directory} cannot be locked: ${message}. Give a --data-dir of its own, on a local file system.`,
  )
}
