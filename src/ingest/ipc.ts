import { type RecordBatch, RecordBatchStreamWriter } from 'apache-arrow'

/** Room for the messages of a stream beside the buffers of its batch. */
const MESSAGE_BYTES = 4096

/** An IPC stream written end to end into one piece of memory; a new one of twice the size where it is too small. */
class MemoryWriter extends RecordBatchStreamWriter {
  #memory: Uint8Array<ArrayBuffer>
  #filled = 0

  constructor(memory: Uint8Array<ArrayBuffer>) {
    super()
    this.#memory = memory
  }

  get written(): Uint8Array<ArrayBuffer> {
    return this.#memory.subarray(0, this.#filled)
  }

  protected override _write(chunk: ArrayBufferView): this {
    const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const end = this.#filled + bytes.length
    if (end > this.#memory.length) {
      const grown = new Uint8Array(2 * end)
      grown.set(this.written)
      this.#memory = grown
    }
    this.#memory.set(bytes, this.#filled)
    this.#filled = end
    this._position += bytes.length
    return this
  }
}

/**
 * A record batch as an Arrow IPC stream of its own, at the start of `memory` where that has the room: memory that comes
 * back and is used again is found at a quarter of the cost of new memory.
 */
export function toIpc(
  batch: RecordBatch,
  contentBytes: number,
  memory?: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const writer = new MemoryWriter(memory ?? new Uint8Array(contentBytes + MESSAGE_BYTES))
  writer.write(batch)
  writer.finish()
  return writer.written
}
