import { once } from 'node:events'
import { expect, it } from 'vitest'
import { launch, listening } from './support/program.js'

const isOld = Number.parseInt(process.versions.node, 10) < 22

/** Starts a service, with its native parts or without. Returns the lines of its log up to its stop, and its metrics. */
async function runtimeOf(nativeParts: string) {
  const program = launch(['--log-format', 'json'], { environment: { LOGWEIR_NATIVE_PARTS: nativeParts } })
  const pieces: string[] = []
  program.child.stderr!.on('data', (piece: string) => pieces.push(piece))
  const service = await listening(program)
  const [, labels] = /^logweir_build_info\{(.*)\} 1$/m.exec(await (await service.get('/metrics')).text())!
  service.child.kill('SIGTERM')
  await once(service.child, 'close')
  const lines = pieces.join('').trimEnd().split('\n')
  return { labels, codes: lines.map((line) => JSON.parse(line).code as string) }
}

it('the log and the metrics say on what the service runs without native parts', async () => {
  const { labels, codes } = await runtimeOf('off')
  const zstd = isOld ? '@hpcc-js/wasm-zstd' : 'node:zlib'
  expect(labels).toContain(`node="${process.version}",pattern="re2js",zstd="${zstd}",crc32="node:zlib"`)
  const about = codes.filter((code) => /^(node|native)_/.test(code))
  expect(about).toEqual([...(isOld ? ['node_ended'] : []), 'native_parts_missing'])
})

it('an unknown variable is warned of, and LOGWEIR_NATIVE_PARTS is known', async () => {
  expect((await runtimeOf('on')).codes).not.toContain('variable_unknown')
})
