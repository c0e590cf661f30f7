import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { inTries } from '../../support/tries.js'

const RUN_MS = 3_000
const PROBE_MS = 2
const WORST_MS = 100
const P99_MS = 50
const TRIES = 8

/** How long requests of /health took. */
interface Waits {
  worstMs: number
  p99Ms: number
}

const isGood = ({ worstMs, p99Ms }: Waits) => worstMs <= WORST_MS && p99Ms <= P99_MS

/** Expects that /health is answered at once while queries run, in one of several tries. */
export async function expectFreeLoop(tryOnce: () => Promise<Waits>): Promise<void> {
  expect(await inTries(TRIES, tryOnce, isGood)).toSatisfy(isGood)
}

/** Requests /health every 2 ms for 3 s, while `queries` run until `isRunning` returns false. */
export async function probeHealth(
  url: string,
  queries: (isRunning: () => boolean) => readonly Promise<void>[],
): Promise<Waits> {
  let isRunning = true
  const running = queries(() => isRunning)
  const waitsMs: number[] = []
  const endMs = performance.now() + RUN_MS
  while (performance.now() < endMs) {
    const startMs = performance.now()
    await (await fetch(`${url}/health`)).text()
    waitsMs.push(performance.now() - startMs)
    await wait(PROBE_MS)
  }
  isRunning = false
  await Promise.all(running)
  waitsMs.sort((a, b) => a - b)
  const waits = { worstMs: waitsMs.at(-1)!, p99Ms: waitsMs[Math.floor(waitsMs.length * 0.99)]! }
  console.log(`O3 worst ${waits.worstMs.toFixed(0)} ms, p99 ${waits.p99Ms.toFixed(0)} ms`)
  return waits
}
