import { MessageChannel } from 'node:worker_threads'

/**
 * Returns the buffers of all typed arrays in plain data, once each. Skips empty arrays, which may be shared constants.
 */
export function arrayBuffersOf(data: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>()
  const visit = (value: unknown): void => {
    if (ArrayBuffer.isView(value)) {
      if (value.byteLength > 0) found.add(value.buffer as ArrayBuffer)
    } else if (value instanceof Map) {
      for (const inner of value.values()) visit(inner)
    } else if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) visit(inner)
    }
  }
  visit(data)
  return [...found]
}

/** A port without a receiver: memory that is transferred to the port is freed immediately. */
const { port1: nowhere } = new MessageChannel()
nowhere.close()

/**
 * Returns memory to the system's allocator now. Typed arrays on the memory become empty. The garbage collector would
 * free the memory too, but only after tens of MiB have accumulated, and new memory that is allocated until then is not
 * in a processor's cache.
 */
export function free(memory: readonly ArrayBuffer[]): void {
  nowhere.postMessage(undefined, memory as ArrayBuffer[])
}
