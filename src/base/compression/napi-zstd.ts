import type * as Binding from 'zstd-napi/binding.js'
import { loadNativePart } from '../native-part.js'
import { endsTooEarly, type ZstdCompressor, type ZstdEngine, type ZstdParameters } from './zstd-engine.js'

/** Returns the engine of the package `zstd-napi`, or undefined if this process has no such package. */
export function napiZstd(): ZstdEngine | undefined {
  const zstd = loadNativePart<typeof Binding>('zstd-napi/binding.js')
  if (zstd === undefined) return undefined
  const decompressor = new zstd.DCtx()
  return {
    name: 'zstd-napi',
    createCompressor: (parameters) => createCompressor(zstd, parameters),
    decompress: (target, frame) => decompressor.decompress(target, frame),
    decompressStart(target, frame) {
      decompressor.reset(zstd.ResetDirective.sessionOnly)
      for (let filled = 0, read = 0; filled < target.length; ) {
        const [, produced, consumed] = decompressor.decompressStream(target.subarray(filled), frame.subarray(read))
        if (produced + consumed === 0) throw endsTooEarly()
        filled += produced
        read += consumed
      }
    },
  }
}

function createContext(zstd: typeof Binding, parameters: ZstdParameters): Binding.CCtx {
  const context = new zstd.CCtx()
  for (const [name, value] of Object.entries(parameters)) {
    context.setParameter(zstd.CParameter[name as keyof ZstdParameters], value)
  }
  return context
}

function createCompressor(zstd: typeof Binding, parameters: ZstdParameters): ZstdCompressor {
  const compressor = createContext(zstd, parameters)
  return {
    compress: (target, content) => compressor.compress2(target, content),
    async compressInSteps(target, content, stepBytes, afterStep) {
      const stream = createContext(zstd, parameters)
      stream.setPledgedSrcSize(content.length)
      let end = 0
      for (let from = 0, left = 1; left > 0 || from < content.length; ) {
        const step = content.subarray(from, from + stepBytes)
        const directive = from + step.length === content.length ? zstd.EndDirective.end : zstd.EndDirective.continue
        const [unflushed, produced, consumed] = stream.compressStream2(target.subarray(end), step, directive)
        left = directive === zstd.EndDirective.end ? unflushed : 1
        end += produced
        from += consumed
        await afterStep()
      }
      return end
    },
  }
}
