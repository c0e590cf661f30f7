import { MIB } from '../../base/units.js'
import { MAX_OWN_SOURCES } from '../../common/own-source-names.js'
import { ownSourceNames, SOURCE_NAMES, SOURCES, type SourceName } from '../../common/sources.js'
import type { BatchBuilder } from './batch-builder.js'
import type { Exports } from './instance.js'

/** The batch builders of own sources in a module. A source gets a builder with its first record there. */

/**
 * The most rows of a batch of an own source. Their batches are smaller than those of the nine: each source takes memory
 * for a batch, and there may be many own sources.
 */
export const OWN_BATCH_ROWS = 8192
/** The bytes of such a batch. */
export const OWN_BATCH_BYTES = MIB
/** The most builders of own sources. If there are more sources, their builders are used again. */
const MAX_OWN_BUILDERS = MAX_OWN_SOURCES

/** A builder index for names and defaults without a builder: none can have it, or none has it yet (wasm/fields). */
const [UNKNOWN, NEW] = [-1, -2]

/** The builders, and the sources that have one. */
export interface OwnBuilders {
  /**
   * Returns an empty builder for rows of a source. The next call returns the same builder, unless `assign` was called.
   * Undefined if every builder has a source.
   */
  next(source: SourceName): BatchBuilder | undefined
  /** Gives the source of the builder that `next` returned all its records from now on. */
  assign(): void
  /** Takes the builders from their sources. All must be empty. */
  release(): void
  /** Sets the source for records that name none, by the name. Returns the index of its builder. */
  setDefault(source: SourceName | undefined): number
  /** Returns the name of the source if the module has found no builder for its record. */
  missing(): SourceName
}

/**
 * Creates the builders, none at first. `add` adds this many builders to the module, after those of the nine sources and
 * earlier ones. `memory` returns the memory of the module.
 */
export function createOwnBuilders(
  exports: Exports,
  memory: () => Buffer,
  add: (count: number) => readonly BatchBuilder[],
): OwnBuilders {
  const builders: BatchBuilder[] = []
  const indexes = new Map<SourceName, number>()
  let defaultSource: SourceName | undefined
  const address = exports.ownNameAddress()
  const write = (name: SourceName) => memory().write(name, address, 'latin1')

  function registerConfigured(): void {
    for (const name of ownSourceNames()) exports.addOwnName(write(name), true)
  }

  function defaultIndex(): number {
    if (defaultSource === undefined) return UNKNOWN
    const ofNine = (SOURCE_NAMES as readonly SourceName[]).indexOf(defaultSource)
    return ofNine >= 0 ? ofNine : (indexes.get(defaultSource) ?? NEW)
  }

  registerConfigured()
  return {
    next(source) {
      if (indexes.size === MAX_OWN_BUILDERS) return undefined
      // Twice as many: a growth replaces the memory, which costs milliseconds.
      if (indexes.size === builders.length) {
        builders.push(...add(Math.min(Math.max(1, builders.length), MAX_OWN_BUILDERS - builders.length)))
      }
      const builder = builders[indexes.size]!
      builder.source = source
      return builder
    },
    assign() {
      const { source } = builders[indexes.size]!
      const index = SOURCES.length + indexes.size
      indexes.set(source, index)
      exports.setOwnBuilder(write(source), index)
      if (source === defaultSource) exports.setDefaultBuilder(index)
    },
    release() {
      indexes.clear()
      exports.clearOwnNames()
      registerConfigured()
      exports.setDefaultBuilder(defaultIndex())
    },
    setDefault(source) {
      defaultSource = source
      return defaultIndex()
    },
    missing() {
      const length = exports.newSourceLength()
      return length === 0 ? defaultSource! : memory().toString('latin1', address, address + length)
    },
  }
}
