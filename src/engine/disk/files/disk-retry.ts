import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../../../base/log.js'

/** ScanStats on a disk that may be full or failing for a while. */
export interface Trouble {
  /**
   * Does the work, again and again until the system lets it succeed. Rejects with the last error once {@link giveUp} was
   * called, and at once with an error that is not the system's: a defect, which time does not mend.
   */
  outlast<T>(work: () => Promise<T>): Promise<T>
  /** The error that work is held up by at the moment, if any. */
  current(): Error | undefined
  /** Resolves when there is trouble: at once where there is some now. */
  begins(): Promise<void>
  /** Work that fails is not tried again from now on. */
  giveUp(): void
}

/** Says of a directory that it cannot be written to, and that it can again. */
export function tellTrouble(directory: string, log: Log): (error: Error | undefined) => void {
  return (error) => {
    if (error === undefined)
      return log(`${directory} can be written to again`, { code: 'disk_trouble_over', directory })
    log(
      `${directory} cannot be written to: ${error.message}. Nothing is taken until it can; it is tried again every second.`,
      { level: 'error', code: 'disk_trouble', directory },
    )
  }
}

/** `report` is told when trouble begins, with its error, and when it has passed. */
export function createTrouble(retryMs: number, report: (error: Error | undefined) => void): Trouble {
  const pending = new Map<object, Error>()
  const abandoned = new AbortController()
  let waiting: (() => void)[] = []
  const current = () => pending.values().next().value

  function note(work: object, error: Error | undefined): void {
    const before = current()
    if (error === undefined) pending.delete(work)
    else pending.set(work, error)
    if ((before === undefined) === (current() === undefined)) return
    report(current())
    if (current() === undefined) return
    for (const resolve of waiting) resolve()
    waiting = []
  }

  async function outlast<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const result = await work()
        note(work, undefined)
        return result
      } catch (error) {
        const isFinal = !isOfTheSystem(error) || abandoned.signal.aborted
        note(work, isFinal ? undefined : (error as Error))
        if (isFinal) throw error
        await wait(retryMs, undefined, { signal: abandoned.signal }).catch(() => {})
      }
    }
  }

  function begins(): Promise<void> {
    if (current() !== undefined) return Promise.resolve()
    return new Promise((resolve) => waiting.push(resolve))
  }

  return { outlast, current, begins, giveUp: () => abandoned.abort() }
}

/** `ENOSPC`, `EIO` and their like. */
function isOfTheSystem(error: unknown): boolean {
  return /^E[A-Z0-9]+$/.test(String((error as NodeJS.ErrnoException).code))
}
