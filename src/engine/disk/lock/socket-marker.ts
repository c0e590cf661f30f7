import { randomBytes } from 'node:crypto'
import { lstat, open, rename, unlink, utimes } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { inUse, notALock } from './errors.js'
import type { Marker } from './marker.js'
import type { LockParts } from './parts.js'

export const SOCKET_NAME = 'lock'
/** Every system has room for this many bytes in a socket's address, and for those of a name that it is moved to. */
const MAX_ADDRESS_BYTES = 90
/** A holder that is alive but too busy to answer holds the lock all the same. */
const ANSWER_MS = 2_000
/** A starter that checks whether a socket is a dead process's moves it away for less than this. */
const MOVED_MS = 200

/**
 * Locks a directory by a listening socket, which the kernel closes with its process, however that ends: none is left
 * behind by a dead process, and it is seen from another container of this machine. Undefined if there cannot be a socket,
 * or if one is there of which nobody can say whether its process lives. Throws `data_dir_in_use` if it does, and
 * `data_dir_unusable` if a file is in its place.
 */
export async function createSocketMarker(
  directory: string,
  { listen }: Pick<LockParts, 'listen'>,
): Promise<Marker | undefined> {
  const { address, close } = await addressOf(directory)
  const path = join(directory, SOCKET_NAME)
  const server = createServer((socket) => socket.on('error', () => {}).end(`${process.pid}`))
  try {
    if (!(await take({ server, address, path, directory, listen }))) return undefined
  } finally {
    await close()
  }
  server.unref()
  return socketMarker(server, path)
}

interface Attempt extends Pick<LockParts, 'listen'> {
  server: Server
  address: string
  path: string
  directory: string
}

async function take({ server, address, path, directory, listen }: Attempt): Promise<boolean> {
  for (let isRetry = false; ; isRetry = true) {
    const before = await lstat(path).catch(() => undefined)
    if (before?.isSocket() === false) throw notALock(directory, path, 'socket')
    const error = await listen(server, address)
    if (error === undefined) return true
    if (error.code !== 'EADDRINUSE') {
      // Some mounts make the file, and then refuse to listen.
      if (before === undefined) await unlink(path).catch(() => {})
      return false
    }
    const holder = await holderOf(address)
    if (holder === 'unknown') return false
    if (holder !== 'dead' || isRetry) throw inUse(directory, nameOf(holder))
    await removeStale(address, directory)
  }
}

/** The process behind a socket: what it says of itself, that there is none, or that nobody can say. */
type Holder = { said: string } | 'dead' | 'unknown'

const nameOf = (holder: Holder) =>
  typeof holder === 'object' && holder.said !== '' ? `process ${holder.said}` : 'another process'

function holderOf(address: string): Promise<Holder> {
  return new Promise((resolve) => {
    let said = ''
    let isAnswering = false
    const socket = connect(address, () => {
      isAnswering = true
    })
    socket.setTimeout(ANSWER_MS, () => socket.destroy())
    socket.on('data', (bytes) => void (said += bytes))
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED' || code === 'ENOENT') resolve('dead')
      // Its queue of connections is full.
      else if (code !== 'EAGAIN' && !isAnswering) resolve('unknown')
    })
    socket.on('close', () => resolve({ said }))
  })
}

/**
 * Moves the socket of a dead process away. Two starters may find the same one: the second then has moved away the first
 * one's fresh socket, sees it answer, and moves it back.
 */
async function removeStale(address: string, directory: string): Promise<void> {
  const aside = `${address}.${randomBytes(4).toString('hex')}`
  await rename(address, aside).catch(() => {})
  const holder = await holderOf(aside)
  if (holder === 'dead') return unlink(aside).catch(() => {})
  await rename(aside, address)
  throw inUse(directory, nameOf(holder))
}

/**
 * Its file is touched too, for those who see the directory from another kernel and cannot connect: a container in a
 * virtual machine, an NFS client.
 */
function socketMarker(server: Server, path: string): Marker {
  let inode: bigint | undefined

  async function isOurs(): Promise<boolean> {
    const found = (await inodeOf(path)) ?? (await wait(MOVED_MS).then(() => inodeOf(path)))
    inode ??= found
    return found !== undefined && found === inode
  }

  return {
    path,
    async touch() {
      if (!(await isOurs())) return false
      const now = new Date()
      await utimes(path, now, now)
      return true
    },
    async remove() {
      // Closing the server removes whatever has the name by now.
      if (!(await isOurs())) return
      await new Promise((resolve) => server.close(resolve))
      await unlink(path).catch(() => {})
    },
    // The kernel closes the socket; the next start finds that it refuses connections.
    removeAtExit() {},
  }
}

async function inodeOf(path: string): Promise<bigint | undefined> {
  try {
    return (await lstat(path, { bigint: true })).ino
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Linux reaches a directory with a long path through its descriptor. */
async function addressOf(directory: string): Promise<{ address: string; close(): Promise<void> }> {
  const address = join(directory, SOCKET_NAME)
  if (Buffer.byteLength(address) <= MAX_ADDRESS_BYTES || process.platform !== 'linux') {
    return { address, close: async () => {} }
  }
  const handle = await open(directory, 'r')
  return { address: `/proc/self/fd/${handle.fd}/${SOCKET_NAME}`, close: () => handle.close() }
}
