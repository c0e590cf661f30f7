import { describe, expect, it } from 'vitest'
import { logRuntime, nodeWarning, runtimeParts } from '../../src/service/runtime.js'

describe('what the program runs on', () => {
  it.each(['20.19.0', '20.20.2', '21.7.3', '23.11.0', '25.9.0'])('warns of Node %s, which has ended', (version) => {
    expect(nodeWarning(version)).toBe(`Node ${version} gets no security fixes any more. Use Node 22, 24 or 26.`)
  })

  it.each(['22.15.0', '24.21.0', '26.10.0', '28.0.0'])('takes Node %s', (version) => {
    expect(nodeWarning(version)).toBeUndefined()
  })

  it('names the engines, and logs a line for each thing that an operator can improve', () => {
    const { node, pattern, zstd, crc32 } = runtimeParts()
    expect([node, crc32]).toEqual([process.version, 'node:zlib'])
    const lines: [text: string, code?: string][] = []
    logRuntime((text, fields) => void lines.push([text, fields?.code]))
    const isOld = Number.parseInt(process.versions.node, 10) < 22
    const lacks = pattern !== 're2' || zstd === '@hpcc-js/wasm-zstd'
    expect(lines.map(([, code]) => code)).toEqual([
      ...(isOld ? ['node_ended'] : []),
      ...(lacks ? ['native_parts_missing'] : []),
    ])
    if (pattern === 're2js') expect(lines.at(-1)![0]).toContain('re2js')
  })
})
