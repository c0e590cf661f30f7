import { createServer, type Server } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { LockOptions } from '../../src/engine/disk/lock/options.js'
import { createFakeClock, type FakeClock } from './clock.js'

/** A hundredth of the documented times. */
export const SHORT = { touchMs: 10, looks: 10, readBackMs: 20, maxAgeMs: 30 }

/** The errors of `listen` on mounts without Unix sockets. */
export const REFUSALS = ['ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EACCES', 'EINVAL', 'EIO', 'EAFNOSUPPORT', 'ENAMETOOLONG']

/** A mount on which no Unix socket can be made, because of an error of the system. */
export const refusing = (code: string): Partial<LockOptions> => ({
  listen: async () => Object.assign(new Error(`${code}: refused, listen`), { code }),
})

/** Waits of a hundredth of the usual time on a mount without Unix sockets. */
export const onFile = (parts: Partial<LockOptions> = {}): Partial<LockOptions> => ({
  ...refusing('ENOTSUP'),
  timing: SHORT,
  ...parts,
})

/** A lock holder on a mount without Unix sockets. The test runs the holder's timers: after a SIGSTOP none run. */
export function stoppable(parts: Partial<LockOptions> = {}): { clock: FakeClock; parts: Partial<LockOptions> } {
  const clock = createFakeClock()
  return { clock, parts: onFile({ clock, ...parts }) }
}

export const sleep = (ms: number) => setTimeout(ms)

/** A server that listens at a path until the test closes the server. */
export async function listenOn(path: string, answer: string): Promise<Server> {
  const server = createServer((socket) => socket.end(answer))
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return server
}
