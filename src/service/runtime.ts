/** The Node that the program runs on, and the engines that native parts or their replacements provide. */
import { isSea } from 'node:sea'
import { ZSTD_ENGINE } from '../base/compression/zstd.js'
import type { Log } from '../base/log.js'
import { PATTERN_ENGINE } from '../base/pattern/re2-engine.js'

/** The oldest Node that still gets fixes. Node 20 ended in April 2026. Nodes of odd numbers end after half a year. */
const OLDEST_MAINTAINED = 22

/** Returns the version of Node, and the names of the engines in use. */
export function runtimeParts() {
  const node = `${process.version}${isSea() ? ' (in the executable)' : ''}`
  return { node, pattern: PATTERN_ENGINE, zstd: ZSTD_ENGINE, crc32: 'node:zlib' }
}

/** Returns a warning if this version of Node gets no fixes any more. */
export function nodeWarning(version = process.versions.node): string | undefined {
  const major = Number.parseInt(version, 10)
  if (major >= OLDEST_MAINTAINED && major % 2 === 0) return undefined
  return `Node ${version} gets no security fixes any more. Use Node 22, 24 or 26.`
}

/** Logs advice for the operator: a Node that has ended, and the cost of missing native parts. */
export function logRuntime(log: Log): void {
  const warning = nodeWarning()
  if (warning !== undefined) log(warning, { level: 'warn', code: 'node_ended' })
  const { pattern, zstd } = runtimeParts()
  const costs = [
    ...(pattern === 're2' ? [] : [`patterns take up to 15 times as long with ${pattern} as with re2`]),
    ...(zstd === '@hpcc-js/wasm-zstd' ? ['compaction takes 4 times as long as with zstd-napi or Node 22.15'] : []),
  ]
  if (costs.length > 0) log(`native parts are missing: ${costs.join('; ')}`, { code: 'native_parts_missing' })
}
