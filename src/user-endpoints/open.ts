import { join } from 'node:path'
import type { Clock } from '../base/clock.js'
import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { isHelper, readStamps, type Stamps, writableByOthers } from './directory.js'
import { loadModule, type ModuleParts } from './module.js'

interface Parts extends ModuleParts {
  /** Endpoints whose names and ids are not to be had. */
  taken: readonly Endpoint[]
  log: Log
}

/** The endpoints of a directory of modules. */
export interface OwnEndpoints {
  endpoints(): readonly Endpoint[]
  /**
   * Looks for changes from now on, and calls `take` with all endpoints when they have become others. A module that cannot
   * be used leaves its endpoints of before in force; the log hears of each change once. Returns what ends it.
   */
  watch(clock: Clock, take: (endpoints: readonly Endpoint[]) => void): () => void
}

/** How often it is looked for changes: what the system tells of them by itself is not to be relied on. */
const LOOK_MS = 1_000

const MOST_ENDPOINTS = 500

/** Loads all modules of a directory. Throws `usage`, with one line, where one of them cannot be used. */
export async function openOwnEndpoints(directory: string, parts: Parts): Promise<OwnEndpoints> {
  const { taken, log } = parts
  const modules = new Map<string, readonly Endpoint[]>()
  let stamps: Stamps = new Map()
  let broken = new Set<string>()
  let version = 0

  const endpoints = () => [...modules.values()].flat()

  async function load(name: string): Promise<void> {
    const path = join(directory, name)
    version += 1
    const loaded = await loadModule(path, version, parts)
    const others = [...modules].flatMap(([other, ones]) => (other === name ? [] : ones))
    refuseDoubles(path, loaded, [...taken, ...others])
    modules.set(name, loaded)
  }

  function drop(name: string): boolean {
    const gone = modules.get(name)
    if (gone === undefined) return false
    modules.delete(name)
    log(`own endpoints: ${name} is gone, and with it ${namesOf(gone)}`)
    return true
  }

  /** A helper may be part of any module. What could not be used may be mended by a change elsewhere. */
  function isToLoad(found: Stamps): (name: string) => boolean {
    const changed = new Set(
      [...found, ...stamps].map(([name]) => name).filter((one) => found.get(one) !== stamps.get(one)),
    )
    if ([...changed].some(isHelper)) return () => true
    return (name) => changed.has(name) || (changed.size > 0 && broken.has(name))
  }

  async function reload(name: string): Promise<boolean> {
    try {
      await load(name)
      broken.delete(name)
      log(`own endpoints: ${name} has changed; taken up: ${namesOf(modules.get(name)!)}`)
      return true
    } catch (error) {
      broken.add(name)
      const before = modules.get(name)
      const left = before === undefined ? 'has no endpoints of before' : `leaves as they were ${namesOf(before)}`
      log(`own endpoints: ${name} cannot be used and ${left}. ${(error as Error).message}`)
      return false
    }
  }

  /** Tells whether anything has become another. */
  async function look(): Promise<boolean> {
    const found = readStamps(directory)
    const isDue = isToLoad(found)
    const due = [...found.keys()].filter((name) => !isHelper(name) && isDue(name))
    const gone = [...modules.keys()].filter((name) => !found.has(name))
    // Before they are read: what changes meanwhile is seen the next time.
    stamps = found
    broken = new Set([...broken].filter((name) => found.has(name)))
    let isOther = gone.map(drop).includes(true)
    for (const name of due) isOther = (await reload(name)) || isOther
    return isOther
  }

  stamps = readStamps(directory)
  for (const name of stamps.keys()) if (!isHelper(name)) await load(name)
  log(`own endpoints of ${directory}: ${namesOf(endpoints())}`)
  const open = writableByOthers(directory, stamps)
  if (open !== undefined) log(`${open} may be written to by others, and what they write runs here: chmod go-w ${open}`)

  return {
    endpoints,
    watch: (clock, take) => watchWith(clock, log, async () => ((await look()) ? take(endpoints()) : undefined)),
  }
}

/** Looks again and again, one look at a time. The log hears once of a directory that cannot be read. */
function watchWith(clock: Clock, log: Log, look: () => Promise<void>): () => void {
  let isBusy = false
  let trouble: string | undefined

  async function lookOnce(): Promise<void> {
    if (isBusy) return
    isBusy = true
    try {
      await look()
      trouble = undefined
    } catch (error) {
      const { message } = error as Error
      if (message !== trouble) log(`own endpoints stay as they were. ${message}`)
      trouble = message
    }
    isBusy = false
  }

  return clock.every(LOOK_MS, lookOnce)
}

/** Throws `usage` where a name or an id is had twice. */
function refuseDoubles(path: string, loaded: readonly Endpoint[], others: readonly Endpoint[]): void {
  if (loaded.length + others.length > MOST_ENDPOINTS) throw usageError(`${path}: over ${MOST_ENDPOINTS} endpoints.`)
  for (const [i, { id, name }] of loaded.entries()) {
    for (const other of [...others, ...loaded.slice(0, i)]) {
      if (other.name === name) throw usageError(`${path}: there is another endpoint of the name ${name}.`)
      if (other.id.toLowerCase() !== id.toLowerCase()) continue
      throw usageError(`${path}: ${name} has the id of ${other.name}. Give it one of its own, as of uuidgen.`)
    }
  }
}

const namesOf = (endpoints: readonly Endpoint[]) => endpoints.map(({ name }) => name).join(', ') || 'none'
