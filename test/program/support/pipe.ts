import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './program.js'

/** A pipe as a shell makes pipes. Between itself and a child, Node uses a socket, which buffers more. */
export interface Pipe {
  /** The file descriptor of the reader's standard input. */
  readEnd: number
  /** Closes the read end of this process. Called once the reader was started. */
  handedOver(): void
  /** Writes lines with backpressure. Rejects if the reader has ended. */
  write(lines: Iterable<string>): Promise<void>
  /** Returns the bytes that were written to the pipe. */
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
