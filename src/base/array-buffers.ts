import { MessageChannel } from 'node:worker_threads'

/** All memory of the typed arrays that plain data holds. What is empty is left out: it may be a constant. */
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

/** Nobody is at its other end, so that what is sent there is gone at once. */
const { port1: nowhere } = new MessageChannel()
nowhere.close()

/**
 * Gives memory back to the system's allocator now: typed arrays on it are empty from here on. The collector would find it, too,
 * but it lets tens of MiB of such garbage gather first, while what is needed next is new memory, and not in a processor's cache.
 */
export function free(memory: readonly ArrayBuffer[]): void {
  nowhere.postMessage(undefined, memory as ArrayBuffer[])
}
