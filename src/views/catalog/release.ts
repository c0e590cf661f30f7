import { type Catalog, saveManifest } from './catalog.js'

/** Notes on the disk that segments of files may be gone from now on, and drops the segments that wait for that. */
export async function release(catalog: Catalog): Promise<void> {
  const { live, toRelease, manifest, engine } = catalog
  const taken = [...toRelease]
  const states = taken.filter((state) => live.of(state.facts.view).includes(state))
  const numbers = new Set([...live.all(), ...catalog.retained.keys()].map(({ number }) => number))
  const released = new Set(manifest.released.filter((number) => numbers.has(number)))
  for (const { number } of states) released.add(number)
  await saveManifest(catalog, { released: [...released] })
  const releasedMs = catalog.clock.monotonicMs()
  for (const state of states) Object.assign(state, { isReleased: true, releasedMs })
  // More states may have come since.
  for (const state of taken) toRelease.delete(state)
  engine?.enforceLimits()
}
