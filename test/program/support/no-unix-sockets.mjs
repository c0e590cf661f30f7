/**
 * Loaded into the program before the program's own code: no Unix socket can be created, as on the mounts of Docker
 * Desktop.
 */
import { Server } from 'node:net'

const { listen } = Server.prototype

Server.prototype.listen = function (...args) {
  if (typeof args[0] !== 'string') return listen.apply(this, args)
  const error = Object.assign(new Error(`listen ENOTSUP: operation not supported on socket ${args[0]}`), {
    code: 'ENOTSUP',
  })
  process.nextTick(() => this.emit('error', error))
  return this
}
