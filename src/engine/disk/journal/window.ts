import type { ReadableFile } from '../files/files.js'

/** The part of a file that is in memory. */
export interface Window {
  /**
   * Returns the `count` bytes of the file at `position`, fewer if the file ends before. The bytes are valid until the
   * next call, and aligned to 8 bytes in memory if `position` is a multiple of 8.
   */
  view(position: number, count: number): Promise<Buffer>
}

/** Returns a window of `bytes`, or less for a smaller file. The window grows to the largest `count` requested. */
export function createWindow(file: ReadableFile, bytes: number): Window {
  let buffer = Buffer.allocUnsafeSlow(Math.min(bytes, file.bytes))
  let start = 0
  let filled = 0

  /** Moves the window to `position`. Bytes from `position` on that are already in the window are not read again. */
  async function move(position: number, count: number): Promise<void> {
    const from = position - start
    const kept = from >= 0 && from < filled ? buffer.subarray(from, filled) : buffer.subarray(0, 0)
    const target = count > buffer.length ? Buffer.allocUnsafeSlow(count) : buffer
    target.set(kept)
    const read = await file.readAt(position + kept.length, target.subarray(kept.length))
    buffer = target
    start = position
    filled = kept.length + read
  }

  return {
    async view(position, count) {
      const there = Math.max(0, Math.min(count, file.bytes - position))
      const isHeld = position >= start && position + there <= start + filled
      if (!isHeld) await move(position, there)
      return buffer.subarray(position - start, Math.min(position - start + there, filled))
    },
  }
}
