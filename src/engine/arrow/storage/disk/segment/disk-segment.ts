import type { Files } from '../../../../disk/files.js'
import type { Trouble } from '../../../../disk/trouble.js'
import type { SegmentHandle } from '../../handle.js'
import { createLifetime } from '../../lifetime.js'
import type { Segment } from '../../segment.js'
import { GONE } from '../layout.js'
import type { SegmentOnDisk } from './facts.js'
import { loadSegment } from './segment-file.js'

export interface DiskSegment extends SegmentHandle {
  readonly fileBytes: number
  /** Closes it for good: its files go when nobody retains it. */
  remove(): Promise<void>
}

/** Counts what is opened, of all segments. */
let opened = 0

/** Where segments are, and who is told when columns of one have come into memory. */
export interface SegmentDisk {
  files: Files
  trouble: Pick<Trouble, 'outlast'>
  onLoad(): void
}

/** A segment on disk. Its hot columns are loaded when it is opened, and stay in memory until they are unloaded. */
export function holdOnDisk({ files, trouble, onLoad }: SegmentDisk, path: string, facts: SegmentOnDisk): DiskSegment {
  const { source, day, rows, minUs, maxUs, fileBytes } = facts
  let loaded: Segment | undefined
  let loading: Promise<Segment> | undefined
  let isUnwanted = false
  let lastOpened = 0

  async function load(): Promise<Segment> {
    const segment = await loadSegment(files, path, facts).finally(() => {
      loading = undefined
    })
    loaded = segment
    // Which may unload it at once; who has asked for it has it all the same.
    onLoad()
    return segment
  }

  const lifetime = createLifetime(async () => {
    loaded = undefined
    if (!isUnwanted) return
    // Under another name first, so that it is there whole or not at all.
    await trouble.outlast(() => files.rename(path, path + GONE))
    await trouble.outlast(() => files.remove(path + GONE))
  })

  return {
    ...lifetime,
    ...{ isSealed: true, source, day, rows, minUs, maxUs, fileBytes },
    get hotBytes() {
      return loaded?.hotBytes ?? 0
    },
    get coldBytes() {
      return loaded?.coldBytes ?? 0
    },
    get lastOpened() {
      return lastOpened
    },
    open() {
      lastOpened = ++opened
      return loaded ?? (loading ??= load())
    },
    unload() {
      loaded = undefined
    },
    remove() {
      isUnwanted = true
      return lifetime.close()
    },
  }
}
