import type { Files } from '../../engine/disk/files/files.js'

/** Returns the content of a file, cut to `maxBytes`. Rejects with the system's error. */
export async function readWhole(files: Files, path: string, maxBytes: number): Promise<Buffer> {
  const file = await files.openToRead(path)
  try {
    const bytes = Buffer.alloc(Math.min(file.bytes, maxBytes))
    return bytes.subarray(0, await file.readAt(0, bytes))
  } finally {
    await file.close()
  }
}
