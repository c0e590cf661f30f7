/**
 * Loaded into the program before its own code: it dies inside the n-th call that changes a file, as SIGKILL or a crash has
 * it. A write that it dies in has written half of its bytes; any other call has done nothing yet, which is the same as death
 * right behind the call before it.
 *
 * DIE_AT_CALL  n, from 1
 * HURRY        how many times as fast the timers that repeat run: sync and upkeep
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const dieAtCall = Number(process.env.DIE_AT_CALL)
const hurry = Number(process.env.HURRY)
let calls = 0

function die() {
  process.kill(process.pid, 'SIGKILL')
  for (;;);
}

/** Lets a method die in its turn; `last` is what it still does then. */
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
  globalThis.setInterval = (work, intervalMs) => every(work, intervalMs / hurry)
}
