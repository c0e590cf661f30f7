import type { Files, ReadableFile, WritableFile } from '../../src/engine/disk/files/files.js'
import {
  changeEntries,
  changeFile,
  createDirectory,
  createDisk,
  createFile,
  cutPower,
  type EntryChange,
  loseChanges,
  type ModelDirectory,
  type ModelDisk,
  type ModelFile,
  type ModelNode,
  syncEntries,
  syncFile,
} from './model-disk.js'
import type { Random } from './random.js'

/** The kinds of calls that can fail: the calls of `Files`, `ReadableFile` and `WritableFile`. */
export type Call = keyof Files | Exclude<keyof ReadableFile, 'bytes'> | keyof WritableFile

/** A planned fault of a call. */
export interface Fault {
  /** The error code that the call rejects with. `DIED`: the process ends there, and no later call does anything. */
  code: string
  /** The number of calls that succeed before the fault: 0 means that the next call fails. */
  after: number
  /** Whether all later calls fail too, until `heal`. */
  forGood?: boolean
  /** Counts and fails only calls of the given kinds. */
  only?: readonly Call[]
  /**
   * The share of the call that is done nevertheless, 0 to 1: the first bytes of a write, the first files of a removal.
   * Any other call is done if the share is 1. 0 if not given. A later `sync` does not write the changes of a failed
   * `sync` either.
   */
  share?: number
}

/**
 * A file system in memory, with faults at any call, processes that die, and power cuts. A call takes effect in the next
 * turn of the event loop, and a write copies the bytes at that time. A sync covers the writes before the call.
 */
export interface ModelFiles extends Files {
  /** The number of calls of all kinds. */
  readonly calls: number
  /** Plans a fault. Replaces an earlier fault. */
  fail(fault: Fault): void
  /** Removes the planned fault. */
  heal(): void
  /**
   * The files as the next process finds the files. This process is dead: calls of this process do nothing and reject.
   */
  restart(): ModelFiles
  /** The files after a power cut: unsynced changes survive wholly, in part or not at all. This process is dead. */
  cutPower(random: Random): ModelFiles
  /** Returns the current content of a file, or undefined without the file. */
  peek(path: string): Buffer | undefined
  /** Puts a file there, directories included, as if the file had always been there. */
  put(path: string, bytes: Uint8Array): void
  /** From now on, opening or reading this file fails with this code, also after a restart. */
  breakFile(path: string, code: string): void
  /** Deletes what is at a path, as if by another program, and puts an empty folder there if wanted. */
  replace(path: string, byFolder: boolean): void
  /** Whether there is a file or a folder at a path. */
  has(path: string): boolean
  /** Returns the paths of all files. */
  paths(): string[]
}

export const createModelFiles = (): ModelFiles => openModel(createDisk())

function openModel(disk: ModelDisk): ModelFiles {
  const { root } = disk
  const fate = createFate()
  const { call } = fate

  const directoryAt = (path: string) => asDirectory(find(root, parts(path)), path)
  /** The directory that an entry is in, and the entry's name. */
  const place = (path: string) => {
    const names = parts(path)
    const name = names.pop()!
    return { directory: asDirectory(find(root, names), path), name }
  }
  const setEntry = (path: string, node: ModelNode | undefined) => changeEntries(disk, [{ ...place(path), node }])

  function makeDirectories(path: string): void {
    parts(path).forEach((_, i, names) => {
      const above = names.slice(0, i + 1)
      if (find(root, above) === undefined) setEntry(above.join('/'), createDirectory())
      else asDirectory(find(root, above), path)
    })
  }

  function fileToWrite(path: string): ModelFile {
    const { directory, name } = place(path)
    const found = directory.seen.get(name)
    if (found?.kind === 'directory') throw systemError('EISDIR', path)
    if (found !== undefined) return found
    const file = createFile()
    setEntry(path, file)
    return file
  }

  return {
    list: (path) => call('list', path, () => namesIn(root, path)),
    bytesBelow: (path) => call('bytesBelow', path, () => bytesIn(find(root, parts(path)))),
    makeDirectory: (path) =>
      call(
        'makeDirectory',
        path,
        ifWhole(() => makeDirectories(path)),
      ),
    openToRead: (path) =>
      call('openToRead', path, () => readable(unbroken(asFile(find(root, parts(path)), path), path), path, call)),
    openToWrite: (path) => call('openToWrite', path, () => writable(fileToWrite(path), path, call)),
    rename(from, to) {
      const move = () => {
        const node = find(root, parts(from))
        if (node === undefined) throw systemError('ENOENT', from)
        const taken = find(root, parts(to))
        if (taken !== undefined && (node.kind === 'directory' || taken.kind === 'directory'))
          throw systemError('EEXIST', to)
        changeEntries(disk, [
          { ...place(to), node },
          { ...place(from), node: undefined },
        ])
      }
      return call('rename', from, ifWhole(move))
    },
    remove(path) {
      return call('remove', path, (share) => {
        if (find(root, parts(path)) === undefined) return
        const entries = [...removals({ ...place(path), node: undefined })]
        for (const entry of entries.slice(0, Math.floor(entries.length * share))) changeEntries(disk, [entry])
      })
    },
    syncDirectory: (path) =>
      call(
        'syncDirectory',
        path,
        ifWhole(() => syncEntries(disk, directoryAt(path))),
      ),
    get calls() {
      return fate.calls
    },
    fail: fate.fail,
    heal: fate.heal,
    restart() {
      fate.die()
      return openModel(disk)
    },
    cutPower(random) {
      fate.die()
      return openModel(cutPower(disk, random))
    },
    breakFile(path, code) {
      asFile(find(root, parts(path)), path).broken = code
    },
    replace(path, byFolder) {
      setEntry(path, byFolder ? createDirectory() : undefined)
      for (const change of disk.changes) change.synced = true
    },
    has: (path) => find(root, parts(path)) !== undefined,
    paths: () => pathsIn(root),
    peek(path) {
      const node = find(root, parts(path))
      return node && Buffer.from(asFile(node, path).seen)
    },
    put(path, bytes) {
      const before = disk.changes.length
      makeDirectories(parts(path).slice(0, -1).join('/'))
      setEntry(path, createFile(Buffer.from(bytes)))
      for (const change of disk.changes.slice(before)) change.synced = true
    },
  }
}

/** Does `share` of a call, 0 to 1. */
type Effect<T> = (share: number) => T
type Caller = <T>(name: Call, path: string, effect: Effect<T>) => Promise<T>

const ifWhole = (effect: () => void) => (share: number) => {
  if (share === 1) effect()
}

/** Counts calls and fails calls by plan. */
function createFate() {
  let calls = 0
  let isDead = false
  let fault: Fault | undefined

  function befalls(name: Call): Fault | undefined {
    if (fault === undefined || !(fault.only?.includes(name) ?? true)) return undefined
    const current = fault
    if (current.after === 0) fault = current.forGood ? current : undefined
    else fault = { ...current, after: current.after - 1 }
    return current.after === 0 ? current : undefined
  }

  const call: Caller = async (name, path, effect) => {
    calls += 1
    const met = isDead ? undefined : befalls(name)
    // No call has an effect after the process died, even if the call was made before.
    const diesHere = met?.code === 'DIED'
    if (!diesHere) await new Promise((resolve) => setImmediate(resolve))
    if (isDead) throw systemError('DIED', path)
    if (diesHere) isDead = true
    if (met === undefined) return effect(1)
    effect(met.share ?? 0)
    throw systemError(met.code, path)
  }

  return {
    call,
    get calls() {
      return calls
    },
    fail(planned: Fault) {
      fault = planned
    },
    heal() {
      fault = undefined
    },
    die() {
      isDead = true
    },
  }
}

function readable(file: ModelFile, path: string, call: Caller): ReadableFile {
  return {
    bytes: file.seen.length,
    readAt: (position, target) =>
      call('readAt', path, () => unbroken(file, path).seen.copy(target, 0, Math.min(position, file.seen.length))),
    close: () => call('close', path, () => {}),
  }
}

function writable(file: ModelFile, path: string, call: Caller): WritableFile {
  return {
    writeAt(position, pieces) {
      return call('writeAt', path, (share) => {
        const whole = Buffer.concat(pieces)
        const bytes = whole.subarray(0, Math.floor(whole.length * share))
        if (bytes.length > 0) changeFile(file, { position, bytes, state: 'waiting' })
      })
    },
    truncate: (length) =>
      call(
        'truncate',
        path,
        ifWhole(() => changeFile(file, { length, state: 'waiting' })),
      ),
    sync() {
      const due = [...file.changes]
      return call('sync', path, (share) => (share === 1 ? syncFile(file, due) : loseChanges(due)))
    },
    close: () => call('close', path, () => {}),
  }
}

function unbroken(file: ModelFile, path: string): ModelFile {
  if (file.broken !== undefined) throw systemError(file.broken, path)
  return file
}

/** Removes an entry and everything below the entry, as `rm -r` does. */
function* removals(entry: Removal): Generator<Removal> {
  const node = entry.directory.seen.get(entry.name)
  if (node?.kind === 'directory') {
    for (const name of node.seen.keys()) yield* removals({ directory: node, name, node: undefined })
  }
  yield entry
}

type Removal = EntryChange['entries'][number]

function pathsIn(directory: ModelDirectory, above = ''): string[] {
  return [...directory.seen].flatMap(([name, node]) => {
    const path = above + name
    return node.kind === 'file' ? [path] : pathsIn(node, `${path}/`)
  })
}

function bytesIn(node: ModelNode | undefined): number {
  if (node === undefined) return 0
  if (node.kind === 'file') return node.seen.length
  return [...node.seen.values()].reduce((sum, below) => sum + bytesIn(below), 0)
}

const parts = (path: string) => path.split('/').filter((name) => name !== '' && name !== '.')

function find(root: ModelDirectory, names: readonly string[]): ModelNode | undefined {
  let node: ModelNode | undefined = root
  for (const name of names) {
    if (node?.kind === 'file') throw systemError('ENOTDIR', names.join('/'))
    node = node?.seen.get(name)
  }
  return node
}

function namesIn(root: ModelDirectory, path: string): string[] {
  try {
    return [...asDirectory(find(root, parts(path)), path).seen.keys()]
  } catch {
    return []
  }
}

function asDirectory(node: ModelNode | undefined, path: string): ModelDirectory {
  if (node === undefined) throw systemError('ENOENT', path)
  if (node.kind === 'file') throw systemError('ENOTDIR', path)
  return node
}

function asFile(node: ModelNode | undefined, path: string): ModelFile {
  if (node === undefined) throw systemError('ENOENT', path)
  if (node.kind === 'directory') throw systemError('EISDIR', path)
  return node
}

const systemError = (code: string, path: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: ${path}`), { code })
