/**
 * Loaded into the program before the program's own code: the process dies inside the n-th call that changes a file, as
 * after SIGKILL or a crash. If that call is a write, half of the bytes are written. Any other call has no effect, which
 * equals a death right after the call before.
 *
 * DIE_AT_CALL  n, from 1
 * HURRY        the factor by which repeating timers (sync, upkeep) run faster (the time limit of a query stays)
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const dieAtCall = Number(process.env.DIE_AT_CALL)
const hurry = Number(process.env.HURRY)
/** The time limit of a query. The work under the limit runs no faster. */
const QUERY_MS = 30_000
let calls = 0

function die() {
  process.kill(process.pid, 'SIGKILL')
  for (;;);
}

/** Makes a method end the process when its turn comes, after a call of `last`. */
function deadly(owner, name, last = () => {}) {
  const method = owner[name]
  owner[name] = function (...args) {
    if (++calls === dieAtCall) {
      last.apply(this, args)
      die()
    }
    return method.apply(this, args)
  }
}

function writeHalf(bytes, offset, length, position) {
  fs.writeSync(this.fd, bytes, offset, Math.floor(length / 2), position)
}

async function handlePrototype() {
  const handle = await fs.promises.open(process.execPath)
  await handle.close()
  return Object.getPrototypeOf(handle)
}

if (isMainThread) {
  for (const name of ['mkdir', 'rename', 'rm', 'unlink']) deadly(fs.promises, name)
  const handle = await handlePrototype()
  deadly(handle, 'write', writeHalf)
  for (const name of ['datasync', 'sync', 'truncate']) deadly(handle, name)
  syncBuiltinESMExports()
  const every = globalThis.setInterval
  globalThis.setInterval = (work, intervalMs) => every(work, intervalMs === QUERY_MS ? intervalMs : intervalMs / hurry)
}
