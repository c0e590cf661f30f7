import type { Files, ReadableFile, WritableFile } from './files.js'

/** A file: the first `length` bytes of `buffer`. */
interface MemoryFile {
  buffer: Buffer
  length: number
}

/**
 * Returns an empty file system in memory, for files that are lost when the process ends. A directory is there as long
 * as there is a file below.
 */
export function createMemoryFiles(): Files {
  const files = new Map<string, MemoryFile>()
  const isBelow = (path: string, directory: string) => directory === '' || path.startsWith(`${directory}/`)
  const below = (path: string) => [...files.keys()].filter((one) => one === path || isBelow(one, path))
  return {
    async list(directory) {
      const start = directory === '' ? 0 : directory.length + 1
      const paths = [...files.keys()].filter((path) => isBelow(path, directory))
      return [...new Set(paths.map((path) => path.slice(start).split('/', 1)[0]))]
    },
    bytesBelow: async (path) => below(path).reduce((sum, one) => sum + files.get(one)!.length, 0),
    async makeDirectory() {},
    async openToRead(path) {
      return readable(found(files, path))
    },
    async openToWrite(path) {
      const file = files.get(path) ?? { buffer: Buffer.alloc(0), length: 0 }
      files.set(path, file)
      return writable(file)
    },
    async rename(from, to) {
      const file = found(files, from)
      files.delete(from)
      files.set(to, file)
    },
    async remove(path) {
      for (const one of below(path)) files.delete(one)
    },
    async syncDirectory() {},
  }
}

function found(files: ReadonlyMap<string, MemoryFile>, path: string): MemoryFile {
  const file = files.get(path)
  if (file === undefined) throw Object.assign(new Error(`ENOENT: no such file, '${path}'`), { code: 'ENOENT' })
  return file
}

const readable = (file: MemoryFile): ReadableFile => ({
  bytes: file.length,
  readAt: async (position, target) => (position < file.length ? file.buffer.copy(target, 0, position, file.length) : 0),
  async close() {},
})

const writable = (file: MemoryFile): WritableFile => ({
  async writeAt(position, pieces) {
    let at = position
    grow(file, position + pieces.reduce((sum, { length }) => sum + length, 0))
    for (const piece of pieces) {
      file.buffer.set(piece, at)
      at += piece.length
    }
    if (at > position) file.length = Math.max(file.length, at)
  },
  async truncate(bytes) {
    grow(file, bytes)
    file.buffer.fill(0, Math.min(bytes, file.length))
    file.length = bytes
  },
  async sync() {},
  async close() {
    // Room for more writes is not kept.
    file.buffer = Buffer.from(file.buffer.subarray(0, file.length))
  },
})

function grow(file: MemoryFile, bytes: number): void {
  if (bytes <= file.buffer.length) return
  const buffer = Buffer.alloc(Math.max(bytes, 2 * file.buffer.length))
  file.buffer.copy(buffer, 0, 0, file.length)
  file.buffer = buffer
}
