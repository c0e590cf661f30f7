import { isDoneWithin } from '../../base/scheduling/time-limit.js'
import { journalOfCheck } from '../../engine/store/files/facts.js'
import type { Catalog, GroupableEngine } from './catalog.js'

/** The rows are sealed within this time, unless the disk is full. */
const SEAL_MS = 10_000

/**
 * Returns the checks of the segments that are there, given the engine with all rows. Seals the journals that repairs
 * have filled, before new rows are added: only the check of a segment tells that files of views have its rows.
 */
export async function presentChecks(catalog: Catalog, engine: GroupableEngine): Promise<Set<string>> {
  const salvaged = new Map(Object.entries(catalog.manifest.salvaged ?? {}))
  const isSealed = salvaged.size === 0 || (await isDoneWithin(SEAL_MS, sealAll(engine)))
  const present = checksIn(catalog, engine)
  const journals = new Set([...present].map(journalOfCheck))
  // Without its rows, a repair is of no use any more.
  const kept = [...salvaged].filter(([journal]) => !isSealed || journals.has(journal))
  if (kept.length < salvaged.size) {
    catalog.manifest = { ...catalog.manifest, salvaged: Object.fromEntries(kept) }
    catalog.isManifestOld = true
  }
  catalog.live.salvaged = new Map(kept)
  return new Set([...present, ...catalog.live.salvaged.values()])
}

const sealAll = (engine: GroupableEngine) => engine.seal().catch(() => new Promise<void>(() => {}))

function checksIn({ kept }: Catalog, engine: GroupableEngine): Set<string> {
  const rows = engine.groupable([...new Set([...kept.values()].flatMap(({ sources }) => sources))])
  const checks = rows.parts.flatMap(({ stored }) => stored?.check ?? [])
  rows.release()
  return new Set(checks)
}
