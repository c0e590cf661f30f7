import type { Files } from '../files/files.js'
import { lockLost } from './errors.js'
import { fenceFiles } from './fence.js'
import type { Marker } from './marker.js'
import type { LockOptions } from './options.js'

/** The lock of a directory that this process has. */
export interface DirectoryLock {
  /** Returns the same files, which refuse to write once the lock is lost. */
  fence(files: Files): Files
  /** Releases the lock. */
  release(): Promise<void>
}

/** A time by both clocks: a machine that slept may have stopped either. */
interface Moment {
  monotonicMs: number
  wallMs: number
}

/**
 * Holds a marker until the release: touches the marker every `touchMs`, and calls `onLost` once if the marker was
 * removed or replaced. System errors do not prove that: a write then checks the marker again, and rejects with the
 * error if the check fails.
 */
export async function holdMarker(marker: Marker, directory: string, options: LockOptions): Promise<DirectoryLock> {
  const { clock, timing, onLost } = options
  const now = (): Moment => ({ monotonicMs: clock.monotonicMs(), wallMs: clock.nowUs() / 1000 })
  let confirmed = now()
  let lost: Error | undefined
  let checking: Promise<void> | undefined

  async function check(): Promise<void> {
    const begun = now()
    if (lost === undefined && !(await marker.touch())) lose()
    if (lost !== undefined) throw lost
    confirmed = begun
  }

  function lose(): void {
    const error = lockLost(directory, marker.path)
    lost = error
    detach()
    onLost(error)
  }

  function confirm(): Promise<void> {
    checking ??= check().finally(() => {
      checking = undefined
    })
    return checking
  }

  const isRecent = ({ monotonicMs, wallMs }: Moment) =>
    Math.abs(clock.monotonicMs() - monotonicMs) <= timing.maxAgeMs &&
    Math.abs(clock.nowUs() / 1000 - wallMs) <= timing.maxAgeMs

  const stopTouching = clock.every(timing.touchMs, () => void confirm().catch(() => {}))
  process.on('exit', marker.removeAtExit)
  function detach(): void {
    stopTouching()
    process.off('exit', marker.removeAtExit)
  }

  await confirm().catch(() => {})
  return {
    fence: (files) =>
      fenceFiles(files, async () => (lost === undefined && isRecent(confirmed) ? undefined : confirm())),
    async release() {
      detach()
      await checking?.catch(() => {})
      if (lost === undefined) await marker.remove().catch(() => {})
    },
  }
}
