import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { GIB } from '../../src/base/units.js'

const HEAP = new URL('../../dist/base/heap.js', import.meta.url).href

/** Counts the full collections of a process that allocates much memory and keeps little of it, for some time. */
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
    for (let i = 0; i < 500; i++) {
      kept.push(Array.from({ length: 30_000 }, (_, n) => ({ n })))
      if (kept.length > 20) kept.shift()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
    console.log(full, kept.length)`
  const text = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
  return Number(text.split(' ')[0])
}

describe('a heap', () => {
  it('is collected more often where memory is short', () => {
    expect(countFullCollections(`${GIB - 1}`)).toBeGreaterThan(countFullCollections(`${GIB}`))
    expect(countFullCollections(`${GIB - 1}`)).toBeGreaterThan(countFullCollections(''))
  })
})
