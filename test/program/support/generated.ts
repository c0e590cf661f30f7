import { readGenerateConfig } from '../../../src/config/generate-config.js'
import { generate } from '../../../src/generate/generate.js'

/** Returns the output of `logweir generate` with the given flags, generated in this process. */
export function generated(...flags: readonly string[]): Buffer {
  const { end, span: spanUs, slim = false, optionalHeaders = false, ...rest } = readGenerateConfig(flags)
  const endUs = end === 'now' ? (Date.now() - 1) * 1000 : end
  return Buffer.concat([...generate({ ...rest, endUs, spanUs, slim, optionalHeaders })])
}
