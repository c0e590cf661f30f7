import { LogweirError } from '../../base/errors.js'
import { encodingOf } from '../../base/text/text-encoding.js'
import { systemClock } from '../../base/time/clock.js'
import { MIB } from '../../base/units.js'
import type { Files } from '../../engine/disk/files/files.js'
import { checkToken, unquote } from '../../tokens/token-syntax.js'
import { createFileReader } from '../../tokens/tokens-file.js'
import { readWhole } from '../files/read-whole.js'
import { fault } from '../findings/finding.js'
import type { Report } from '../findings/report.js'

/** The service refuses longer files of tokens. */
const MAX_BYTES = 64 * MIB

/** Reads the file of hashed tokens as the service does. No finding has a token. */
export const checkTokensFile = (files: Files, path: string): Promise<Report> =>
  checkText(files, path, (text) => void createFileReader(path, systemClock).read(text))

/** Reads the token that the service has created. */
export const checkStoredToken = (files: Files, path: string): Promise<Report> =>
  checkText(files, path, (text) => void checkToken(unquote(text), path))

async function checkText(files: Files, path: string, parse: (text: string) => void): Promise<Report> {
  const bytes = await readWhole(files, path, MAX_BYTES + 1)
  const report: Report = { findings: [], rows: 0, files: 1, bytes: bytes.length }
  try {
    parse(decode(bytes))
    return report
  } catch (error) {
    if (!(error instanceof LogweirError)) throw error
    const cost = { instead: 'the access tokens in it' }
    const what = error.message.replace(`${path}: `, '').replace(/\.$/, '')
    return { ...report, findings: [fault('damaged_tokens', path, what, { cost })], repair: { kind: 'set_aside', path } }
  }
}

function decode(bytes: Buffer): string {
  if (bytes.length > MAX_BYTES) throw new LogweirError('usage', `it is over ${MAX_BYTES / MIB} MiB`)
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes)
  if (text.includes('\0')) throw new LogweirError('usage', 'it holds NUL characters')
  return text
}
