import { type RecordBatch, RecordBatchStreamWriter } from 'apache-arrow'
import { MIB } from '../base/units.js'

/** Room for the messages of a stream beside the buffers of its batch. */
const MESSAGE_BYTES = 4096
/** Batches from this size on are written into shared memory, which comes back and is used again. */
const SHARED_BYTES = MIB

/** An IPC stream written end to end into one piece of memory; a new one of twice the size where it is too small. */
class MemoryWriter extends RecordBatchStreamWriter {
  #memory: Uint8Array
  #filled = 0

  constructor(memory: Uint8Array) {
    super()
    this.#memory = memory
  }

  get written(): Uint8Array {
    return this.#memory.subarray(0, this.#filled)
  }

  protected override _write(chunk: ArrayBufferView): this {
    const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const end = this.#filled + bytes.length
    if (end > this.#memory.length) {
      const grown = memoryOf(2 * end)
      grown.set(this.written)
      this.#memory = grown
    }
    this.#memory.set(bytes, this.#filled)
    this.#filled = end
    this._position += bytes.length
    return this
  }
}

/** A record batch of about `contentBytes` as an Arrow IPC stream of its own; in `memory` where it has the room. */
export function toIpc(batch: RecordBatch, contentBytes: number, memory?: SharedArrayBuffer): Uint8Array {
  const writer = new MemoryWriter(
    memory === undefined ? memoryOf(contentBytes + MESSAGE_BYTES) : new Uint8Array(memory),
  )
  writer.write(batch)
  writer.finish()
  return writer.written
}

function memoryOf(bytes: number): Uint8Array {
  return new Uint8Array(bytes >= SHARED_BYTES ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes))
}
