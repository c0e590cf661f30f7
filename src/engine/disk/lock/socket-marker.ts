import { randomBytes } from 'node:crypto'
import { lstat, mkdir, open, rename, rmdir, unlink, utimes } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { inUse, notALock } from './errors.js'
import type { Marker } from './marker.js'
import type { LockOptions } from './options.js'

/** The name of the socket in the directory. */
export const SOCKET_NAME = 'lock'
/** Every system supports socket addresses of this length, with room for the suffix of {@link removeStale}. */
const MAX_ADDRESS_BYTES = 90
/** Timeout of the answer. A holder that accepts the connection has the lock, even if too busy to answer. */
const ANSWER_MS = 2_000
/** A starting process that checks a socket moves the socket away for less than this. */
const MOVED_MS = 200
/** A starting process removes the socket of a dead process in less than this. */
const ABANDONED_MS = 2_000
const POLL_MS = 10

/**
 * Locks a directory with a listening socket. The kernel closes the socket at any end of the process, and other
 * containers of the machine see the socket. Returns undefined if sockets do not work there, or if the process of an
 * existing socket cannot be determined. Throws `data_dir_in_use` if the process of an existing socket lives, and
 * `data_dir_unusable` if another kind of file has the name of the socket.
 */
export async function createSocketMarker(
  directory: string,
  { listen }: Pick<LockOptions, 'listen'>,
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

interface Attempt extends Pick<LockOptions, 'listen'> {
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
      // Some mounts create the file and then refuse to listen.
      if (before === undefined) await unlink(path).catch(() => {})
      return false
    }
    const holder = await holderOf(address)
    if (holder === 'unknown') return false
    if (typeof holder === 'object' || isRetry) throw inUse(directory, nameOf(holder))
    if (holder === 'dead') await alone(`${path}.removing`, () => removeStale(address, directory))
  }
}

/** The process of a socket: the answer of a living process, a dead process, no socket, or an unknown state. */
export type Holder = { answer: string } | 'dead' | 'gone' | 'unknown'

/** Returns a description of the process of a socket, for messages. */
export const nameOf = (holder: Holder) =>
  typeof holder === 'object' && holder.answer !== '' ? `process ${holder.answer}` : 'another process'

/** Determines the process of the socket in a directory, without changing anything. */
export async function holderIn(directory: string): Promise<Holder> {
  const { address, close } = await addressOf(directory)
  return holderOf(address).finally(close)
}

function holderOf(address: string): Promise<Holder> {
  return new Promise((resolve) => {
    let answer = ''
    let isAnswering = false
    const socket = connect(address, () => {
      isAnswering = true
    })
    socket.setTimeout(ANSWER_MS, () => socket.destroy())
    socket.on('data', (bytes) => void (answer += bytes))
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED') resolve('dead')
      else if (code === 'ENOENT') resolve('gone')
      // EAGAIN: the queue of connections is full, so the process lives.
      else if (code !== 'EAGAIN' && !isAnswering) resolve('unknown')
    })
    socket.on('close', () => resolve({ answer }))
  })
}

/**
 * Runs work that a single starting process may do at a time: makes a directory first, and removes the directory
 * afterwards. A directory that does not go away is left of a process that was killed in between.
 */
async function alone(mutex: string, work: () => Promise<void>): Promise<void> {
  const endMs = performance.now() + ABANDONED_MS
  for (;;) {
    const error = await mkdir(mutex).then(
      () => undefined,
      (failure: NodeJS.ErrnoException) => failure,
    )
    if (error === undefined) break
    if (error.code !== 'EEXIST') throw error
    if (performance.now() > endMs) await rmdir(mutex).catch(() => {})
    else await wait(POLL_MS)
  }
  try {
    await work()
  } finally {
    await rmdir(mutex).catch(() => {})
  }
}

/**
 * Moves the socket of a dead process away, checks the process again, and deletes the socket. A process between the
 * calls of bind and listen looks dead too. A living process answers the second check, and the socket is moved back.
 */
async function removeStale(address: string, directory: string): Promise<void> {
  const now = await holderOf(address)
  if (now === 'gone') return
  if (now !== 'dead') throw inUse(directory, nameOf(now))
  const aside = `${address}.${randomBytes(4).toString('hex')}`
  await rename(address, aside).catch(() => {})
  const holder = await holderOf(aside)
  if (holder === 'dead' || holder === 'gone') return unlink(aside).catch(() => {})
  await rename(aside, address)
  throw inUse(directory, nameOf(holder))
}

/**
 * Returns the marker of a listening socket. The time of the file is updated too, for processes on another kernel,
 * which cannot connect: in a virtual machine, or on an NFS client.
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
      // Closing the server deletes the file of that name, even if the file belongs to another process by now.
      if (!(await isOurs())) return
      await new Promise((resolve) => server.close(resolve))
      await unlink(path).catch(() => {})
    },
    // The kernel closes the socket. The next start finds that the socket refuses connections.
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

/**
 * Returns the address of the socket. On Linux a path through the directory's descriptor replaces a path that is too
 * long.
 */
async function addressOf(directory: string): Promise<{ address: string; close(): Promise<void> }> {
  const address = join(directory, SOCKET_NAME)
  if (Buffer.byteLength(address) <= MAX_ADDRESS_BYTES || process.platform !== 'linux') {
    return { address, close: async () => {} }
  }
  const handle = await open(directory, 'r')
  return { address: `/proc/self/fd/${handle.fd}/${SOCKET_NAME}`, close: () => handle.close() }
}
