import { createHook } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'

/** A call to the file system that takes longer counts as stuck. */
const FILE_CALL_MS = 1_000
/** Time for unfinished work to begin the next call: a start that was aborted may open another file. */
const NEXT_CALL_MS = 100
const POLL_MS = 10

/**
 * Ends the process. `process.exit` waits for unfinished calls to the file system, forever if a mount does not answer:
 * if a call takes longer than a second, the process is killed instead. Waits until `deadlineMs` of `performance.now()`
 * at most.
 */
export async function exitProcess(code: number, deadlineMs = Number.POSITIVE_INFINITY): Promise<never> {
  if (countFileCalls() > 0) await wait(NEXT_CALL_MS)
  if (await areFileCallsStuck(Math.min(deadlineMs, performance.now() + FILE_CALL_MS))) endAtOnce()
  process.exit(code)
}

/**
 * Ends the process in spite of unfinished calls. The kernel drops a SIGKILL that the first process of a container
 * sends itself.
 */
function endAtOnce(): never {
  process.kill(process.pid, 'SIGKILL')
  process.abort()
}

/**
 * Whether a call that is unfinished now is still unfinished at the deadline. Calls that begin later do not
 * count.
 */
async function areFileCallsStuck(deadlineMs: number): Promise<boolean> {
  const later = new Set<number>()
  const hook = createHook({
    init(id, type) {
      if (type.startsWith('FSREQ')) later.add(id)
    },
    before: (id) => void later.delete(id),
  }).enable()
  const areUnfinished = () => countFileCalls() > later.size
  while (areUnfinished() && performance.now() < deadlineMs) await wait(POLL_MS)
  hook.disable()
  return areUnfinished()
}

const countFileCalls = () => process.getActiveResourcesInfo().filter((type) => type.startsWith('FSReq')).length
