import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { LogweirError } from '../base/errors.js'

const MAX_CHARACTERS = 500
/** Timeout of the Node process that finds the line of a syntax error. */
const CHECK_TIMEOUT_MS = 5_000

/**
 * Describes an error of a file in a single line: name, message and, if known, the line in the file. The version
 * parameter is removed from addresses. A LogweirError, which SQL and parameters throw, is described by the error
 * message.
 */
export async function describeFailure(error: unknown, path: string): Promise<string> {
  if (error instanceof LogweirError) return oneLine(error.message)
  const summary = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const place = error instanceof Error ? (placeIn(error) ?? (await placeOfSyntaxError(error, path))) : undefined
  const text = place === undefined ? summary : `${summary} (${place})`
  return oneLine(text.replace(/\?logweir=\d+/g, ''))
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').slice(0, MAX_CHARACTERS)

/** Returns the first place of a stack that is in a module of `--endpoints`. */
function placeIn({ stack }: Error): string | undefined {
  const [, file, line] = /([^/\s(]+)\?logweir=\d+:(\d+)/.exec(stack ?? '') ?? []
  return file && `${decodeURIComponent(file)}, line ${line}`
}

/** Asks `node --check` for the line of a syntax error: the error of an import does not contain the line in Node 20. */
async function placeOfSyntaxError(error: Error, path: string): Promise<string | undefined> {
  if (error.name !== 'SyntaxError') return undefined
  const text = await readFile(path).catch(() => '')
  const output = await new Promise<string>((resolve) => {
    const args = ['--input-type=module', '--check']
    const child = execFile(process.execPath, args, { timeout: CHECK_TIMEOUT_MS }, (_, __, stderr) => resolve(stderr))
    child.stdin?.on('error', () => {})
    child.stdin?.end(text)
  })
  const [, line] = /^\[stdin\]:(\d+)/.exec(output) ?? []
  return line && `line ${line}`
}
