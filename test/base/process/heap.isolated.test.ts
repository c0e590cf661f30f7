import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { askForCollection, collectGrownHeap } from '../../../src/base/process/heap.js'
import { GIB, MIB } from '../../../src/base/units.js'
import { createFakeClock } from '../../support/clock.js'

const HEAP = new URL('../../../dist/base/process/heap.js', import.meta.url).href

/** Counts the full collections of a process that allocates much memory and keeps a small part for some time. */
function countFullCollections(limit: string): number {
  const script = `
    import { raiseHeapGrowth } from '${HEAP}'
    import { PerformanceObserver, constants } from 'node:perf_hooks'
    raiseHeapGrowth(${limit})
    let full = 0
    const observer = new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries()) if (detail.kind !== constants.NODE_PERFORMANCE_GC_MINOR) full++
    })
    observer.observe({ entryTypes: ['gc'] })
    const kept = []
    for (let i = 0; i < 400; i++) {
      kept.push(Array.from({ length: 30_000 }, (_, n) => ({ n })))
      if (kept.length > 20) kept.shift()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
    console.log(full, kept.length)`
  const text = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
  return Number(text.split(' ')[0])
}

const isIdle = () => false

describe('a heap', () => {
  it('is collected more often where memory is short', () => {
    const [little, enough, unlimited] = [`${GIB - 1}`, `${GIB}`, ''].map(countFullCollections)
    expect(little).toBeGreaterThan(enough!)
    expect(little).toBeGreaterThan(unlimited!)
  })
})

const SLICES = new URL('../../../dist/base/scheduling/time-slices.js', import.meta.url).href

/** Returns the most MiB of the heap of a process with queries that make long texts and keep the last `kept` texts. */
function mostHeapMib(limit: string, kept: number): number {
  const script = `
    import { raiseHeapGrowth } from '${HEAP}'
    import { createYielder } from '${SLICES}'
    import { getHeapStatistics } from 'node:v8'
    raiseHeapGrowth(${limit})
    const texts = []
    let most = 0
    const yieldIfDue = createYielder(undefined, 1)
    for (let i = 0; i < 500; i++) {
      texts.push(Buffer.alloc(2 ** 20, 97 + (i % 26)).toString('latin1').toUpperCase())
      if (texts.length > ${kept}) texts.shift()
      const { total_heap_size, external_memory } = getHeapStatistics()
      most = Math.max(most, total_heap_size + external_memory)
      await yieldIfDue()
    }
    console.log(Math.round(most / 2 ** 20))`
  return Number(execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }))
}

describe('the heap of queries that make long texts', () => {
  it('grows to seven sixteenths of a small memory limit, if they keep little', () => {
    expect(mostHeapMib(`${256 * MIB}`, 8)).toBeLessThanOrEqual(112 + 16)
    expect(mostHeapMib(`${512 * MIB}`, 8)).toBeLessThanOrEqual(224 + 32)
  })

  it('grows by a sixteenth of it beyond what they keep', () => {
    expect(mostHeapMib(`${256 * MIB}`, 120)).toBeLessThanOrEqual(120 + 16 + 32)
  })

  it('is left to V8 without a limit', () => {
    expect(mostHeapMib('', 120)).toBeGreaterThan(120 + 16 + 32)
  })
})

describe('a heap that has grown', () => {
  it('is collected at the next check and once more, and again only after it has grown again', () => {
    const clock = createFakeClock()
    let collections = 0
    const stop = collectGrownHeap(clock, isIdle, () => collections++)
    const fill = () => Array.from({ length: 4_000_000 }, (_, i) => ({ i }))
    clock.advance(20_000)
    expect(collections).toBe(0)
    const first = fill()
    clock.advance(20_000)
    expect(collections).toBe(2)
    const second = fill()
    clock.advance(20_000)
    expect([collections, first.length + second.length]).toEqual([4, 8_000_000])
    stop()
  })

  it('is collected once if somebody asks', () => {
    const clock = createFakeClock()
    let collections = 0
    const stop = collectGrownHeap(clock, isIdle, () => collections++)
    askForCollection()
    clock.advance(20_000)
    expect(collections).toBe(1)
    stop()
  })

  it('is collected when no query runs any more, or after 25 s', () => {
    const clock = createFakeClock()
    let collections = 0
    let isBusy = true
    const stop = collectGrownHeap(
      clock,
      () => isBusy,
      () => collections++,
    )
    askForCollection()
    clock.advance(10_000)
    expect(collections).toBe(0)
    isBusy = false
    clock.advance(5_000)
    expect(collections).toBe(1)
    isBusy = true
    askForCollection()
    clock.advance(25_000)
    expect(collections).toBe(1)
    clock.advance(5_000)
    expect(collections).toBe(2)
    stop()
  })

  it('becomes small again', () => {
    const script = `
      import { collectGrownHeap } from '${HEAP}'
      const clock = { every: (_, work) => ((clock.work = work), () => {}) }
      collectGrownHeap(clock, () => false)
      let garbage = Array.from({ length: 4_000_000 }, (_, i) => ({ i }))
      garbage = undefined
      const grown = process.memoryUsage().heapUsed
      clock.work()
      console.log(process.memoryUsage().heapUsed < grown / 2, typeof gc)`
    const text = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
    expect(text).toBe('true undefined\n')
  })
})
