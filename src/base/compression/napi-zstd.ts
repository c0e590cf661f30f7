import { loadNativePart } from '../native-part.js'
import { endsTooEarly, type ZstdCompressor, type ZstdEngine, type ZstdParameters } from './zstd-engine.js'

/** Bytes that are left to write, bytes written, bytes read. */
type Progress = [left: number, produced: number, consumed: number]

interface CompressionContext {
  setParameter(parameter: number, value: number): void
  setPledgedSrcSize(bytes: number): void
  compress2(target: Uint8Array, content: Uint8Array): number
  compressStream2(target: Uint8Array, content: Uint8Array, directive: number): Progress
}

interface DecompressionContext {
  reset(directive: number): void
  decompress(target: Uint8Array, frame: Uint8Array): number
  decompressStream(target: Uint8Array, frame: Uint8Array): Progress
}

/** The used part of zstd-napi/binding.js. Its own types are there only if the package is installed. */
interface Binding {
  CCtx: new () => CompressionContext
  DCtx: new () => DecompressionContext
  CParameter: Record<keyof ZstdParameters, number>
  EndDirective: Record<'continue' | 'end', number>
  ResetDirective: Record<'sessionOnly', number>
}

/** Returns the engine of the package `zstd-napi`, or undefined if this process has no such package. */
export function napiZstd(): ZstdEngine | undefined {
  const zstd = loadNativePart<Binding>('zstd-napi/binding.js')
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

function createContext(zstd: Binding, parameters: ZstdParameters): CompressionContext {
  const context = new zstd.CCtx()
  for (const [name, value] of Object.entries(parameters)) {
    context.setParameter(zstd.CParameter[name as keyof ZstdParameters], value)
  }
  return context
}

function createCompressor(zstd: Binding, parameters: ZstdParameters): ZstdCompressor {
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
