import { readGenerateConfig } from '../../../src/config/generate-config.js'
import { generate } from '../../../src/generate/generate.js'

/** Returns what `logweir generate` prints with these flags, generated in this process, without the start of another. */
export function generated(...flags: readonly string[]): Buffer {
  const { end, span: spanUs, slim = false, ...rest } = readGenerateConfig(flags)
  const endUs = end === 'now' ? (Date.now() - 1) * 1000 : end
  return Buffer.concat([...generate({ ...rest, endUs, spanUs, slim })])
}
