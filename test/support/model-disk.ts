import { below, oneOf, type Random } from './random.js'

/**
 * A disk with a cache. Every change is visible at once, but survives a power cut for certain only after a sync. Each
 * change that was not synced may survive, or not, or (a write) in part, independently of earlier changes.
 */
export interface ModelFile {
  kind: 'file'
  /** The content that programs see, and the content that certainly survives. */
  seen: Buffer
  certain: Buffer
  changes: FileChange[]
  /** The error code of all reads. */
  broken?: string
}

export interface ModelDirectory {
  kind: 'directory'
  seen: Map<string, ModelNode>
  certain: Map<string, ModelNode>
}

export type ModelNode = ModelFile | ModelDirectory

export type FileChange =
  | { position: number; bytes: Buffer; state: ChangeState }
  | { length: number; state: ChangeState }

/**
 * `lost`: a sync failed, and no later sync writes the change. The change is still visible, and may survive by chance.
 */
type ChangeState = 'waiting' | 'synced' | 'lost'

/** Entries that change together: a rename is atomic. A change may survive without a sync. */
export interface EntryChange {
  entries: { directory: ModelDirectory; name: string; node: ModelNode | undefined }[]
  synced: boolean
}

export interface ModelDisk {
  root: ModelDirectory
  changes: EntryChange[]
}

export const createDirectory = (): ModelDirectory => ({ kind: 'directory', seen: new Map(), certain: new Map() })
export const createFile = (bytes: Buffer = Buffer.alloc(0)): ModelFile => {
  return { kind: 'file', seen: bytes, certain: bytes, changes: [] }
}
export const createDisk = (): ModelDisk => ({ root: createDirectory(), changes: [] })

export function changeFile(file: ModelFile, change: FileChange): void {
  file.seen = applied(file.seen, change)
  file.changes.push(change)
}

/** Makes changes survive a power cut. */
export function syncFile(file: ModelFile, changes: readonly FileChange[]): void {
  for (const change of changes) if (change.state === 'waiting') change.state = 'synced'
  while (file.changes[0]?.state === 'synced') file.certain = applied(file.certain, file.changes.shift()!)
}

/** A failed sync: the changes count as written from now on, although the changes are not written. */
export function loseChanges(changes: readonly FileChange[]): void {
  for (const change of changes) if (change.state === 'waiting') change.state = 'lost'
}

export function changeEntries(disk: ModelDisk, entries: EntryChange['entries']): void {
  for (const { directory, name, node } of entries) setEntry(directory.seen, name, node)
  disk.changes.push({ entries, synced: false })
}

export function syncEntries(disk: ModelDisk, directory: ModelDirectory): void {
  for (const change of disk.changes) change.synced ||= change.entries.some((entry) => entry.directory === directory)
  while (disk.changes[0]?.synced) settle(disk.changes.shift()!)
}

/** Returns the disk after a power cut. The disk before must not be used any more. */
export function cutPower({ root, changes }: ModelDisk, random: Random): ModelDisk {
  const luck = oneOf(random, [0, 1, random()])
  for (const change of changes) if (change.synced || random() < luck) settle(change)
  return { root: survivingDirectory(root, random), changes: [] }
}

function settle({ entries }: EntryChange): void {
  for (const { directory, name, node } of entries) setEntry(directory.certain, name, node)
}

function setEntry(entries: Map<string, ModelNode>, name: string, node: ModelNode | undefined): void {
  if (node === undefined) entries.delete(name)
  else entries.set(name, node)
}

function survivingDirectory({ certain }: ModelDirectory, random: Random): ModelDirectory {
  const survive = (node: ModelNode) =>
    node.kind === 'file' ? createFile(survivingBytes(node, random)) : survivingDirectory(node, random)
  const seen = new Map([...certain].map(([name, node]) => [name, survive(node)]))
  return { kind: 'directory', seen, certain: new Map(seen) }
}

function survivingBytes({ certain, changes }: ModelFile, random: Random): Buffer {
  const luck = oneOf(random, [0, 1, random()])
  return changes.reduce((bytes, change) => {
    if (change.state === 'synced' || random() < luck) return applied(bytes, change)
    return random() < 0.5 || 'length' in change ? bytes : applied(bytes, torn(change, random))
  }, certain)
}

type Write = Extract<FileChange, { bytes: Buffer }>

/** The remains of a write: the start, any part, or the length alone, with zeros or with older bytes. */
function torn(write: Write, random: Random): Write {
  const { position, bytes, state } = write
  const end = below(random, bytes.length + 1)
  const start = oneOf(random, [0, below(random, end + 1)])
  return oneOf(random, [
    { position: position + start, bytes: bytes.subarray(start, end), state },
    { position, bytes: Buffer.alloc(bytes.length), state },
    { position, bytes: Buffer.from(bytes.map(() => below(random, 256))), state },
  ])
}

function applied(bytes: Buffer, change: FileChange): Buffer {
  const end = 'length' in change ? change.length : Math.max(bytes.length, change.position + change.bytes.length)
  const result = Buffer.alloc(end)
  bytes.copy(result)
  if ('bytes' in change) change.bytes.copy(result, change.position)
  return result
}
