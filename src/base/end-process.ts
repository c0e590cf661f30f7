import { createHook } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'

/** How long calls to a file system that are under way may take to end, or to be followed by others. */
const FILE_CALLS_MS = 500
const LOOK_MS = 10

/**
 * Ends the process. `process.exit` waits for calls to the file system that are under way, for ever if a mount does not
 * answer; if none of them makes progress for 500 ms, the process is killed instead.
 */
export async function endProcess(code: number): Promise<never> {
  if (hasFileCalls() && (await isStuck())) process.kill(process.pid, 'SIGKILL')
  process.exit(code)
}

/** Whether there are calls all the time, and none of them leads to another. */
async function isStuck(): Promise<boolean> {
  let isBusy = false
  const hook = createHook({
    init(_, type) {
      isBusy ||= type.startsWith('FSREQ')
    },
  }).enable()
  const deadline = performance.now() + FILE_CALLS_MS
  while (hasFileCalls() && !isBusy && performance.now() < deadline) await wait(LOOK_MS)
  hook.disable()
  return hasFileCalls() && !isBusy
}

const hasFileCalls = () => process.getActiveResourcesInfo().some((type) => type.startsWith('FSReq'))
