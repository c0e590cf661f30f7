import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './program.js'

/** A pipe as a shell makes it; what node calls one between it and its children is a socket, which holds more. */
export interface Pipe {
  /** What the reader is started with. */
  readEnd: number
  /** To be called when the reader has its own: it is then the only one. */
  handedOver(): void
  /** Writes all lines, the next when the pipe has taken the one before; rejects where the reader is gone. */
  write(lines: Iterable<string>): Promise<void>
  /** Bytes that the pipe has taken. */
  taken(): number
  end(): void
}

export function makePipe(): Pipe {
  const path = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [path])
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writeEnd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  const writer = new Socket({ fd: writeEnd, readable: false, writable: true })
  writer.on('error', () => {})
  onTestFinished(() => void writer.destroy())
  return {
    readEnd,
    handedOver: () => closeSync(readEnd),
    async write(lines) {
      for (const line of lines) if (!writer.write(line)) await once(writer, 'drain')
    },
    taken: () => writer.bytesWritten - writer.writableLength,
    end: () => void writer.end(),
  }
}
