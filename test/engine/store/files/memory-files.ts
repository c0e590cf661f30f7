import type { Files } from '../../../../src/engine/disk/files/files.js'

/** A call of a file system: kind and path. */
export type Step = (what: string, path: string) => void

export interface MemoryFiles extends Files {
  /** Every file, by path. */
  contents: Map<string, Buffer>
  /** How many files are open. */
  open: { count: number }
}

/** Returns files in memory. `step` is called before each call, and may throw. */
export function createMemoryFiles(step: Step = () => {}): MemoryFiles {
  const contents = new Map<string, Buffer>()
  const open = { count: 0 }
  const below = (path: string) => [...contents.keys()].filter((name) => name === path || name.startsWith(`${path}/`))
  const close = async () => void open.count--
  return {
    contents,
    open,
    async list(directory) {
      const inside = below(directory).map((name) => name.slice(directory.length + (directory === '' ? 0 : 1)))
      return [...new Set(inside.map((name) => name.split('/')[0]!))]
    },
    bytesBelow: async (path) => below(path).reduce((sum, name) => sum + contents.get(name)!.length, 0),
    async makeDirectory(path) {
      step('make', path)
    },
    async openToRead(path) {
      step('read', path)
      const file = contents.get(path)
      if (file === undefined) throw Object.assign(new Error(`There is no ${path}.`), { code: 'ENOENT' })
      open.count++
      return { bytes: file.length, readAt: async (position, target) => file.copy(target, 0, position), close }
    },
    async openToWrite(path) {
      step('open', path)
      contents.set(path, Buffer.alloc(0))
      open.count++
      return {
        async writeAt(position, pieces) {
          step('write', path)
          contents.set(path, Buffer.concat([contents.get(path)!.subarray(0, position), ...pieces]))
        },
        async truncate() {},
        sync: async () => step('sync', path),
        close,
      }
    },
    async rename(from, to) {
      step('rename', `${from} to ${to}`)
      for (const name of below(from)) {
        contents.set(to + name.slice(from.length), contents.get(name)!)
        contents.delete(name)
      }
    },
    async remove(path) {
      step('remove', path)
      for (const name of below(path)) contents.delete(name)
    },
    syncDirectory: async (path) => step('sync', path),
  }
}
