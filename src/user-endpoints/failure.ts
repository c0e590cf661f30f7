import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'

const MOST_CHARACTERS = 500
/** Asking Node where a file is wrong ends at the latest then. */
const CHECK_MS = 5_000

/** What went wrong in a module, in one line and without our marks: name, message, and the line where that is known. */
export async function describeFailure(error: unknown, path: string): Promise<string> {
  const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const place = error instanceof Error ? (placeIn(error) ?? (await placeOfSyntaxError(error, path))) : undefined
  const text = place === undefined ? said : `${said} (${place})`
  return text
    .replace(/\?logweir=\d+/g, '')
    .replace(/\s+/g, ' ')
    .slice(0, MOST_CHARACTERS)
}

/** The first place in a module of `--endpoints` that a stack names. */
function placeIn({ stack }: Error): string | undefined {
  const [, file, line] = /([^/\s(]+)\?logweir=\d+:(\d+)/.exec(stack ?? '') ?? []
  return file && `${decodeURIComponent(file)}, line ${line}`
}

/** Node 20 does not say where an imported file cannot be read, but where one can be checked it does. */
async function placeOfSyntaxError(error: Error, path: string): Promise<string | undefined> {
  if (error.name !== 'SyntaxError') return undefined
  const text = await readFile(path).catch(() => '')
  const said = await new Promise<string>((resolve) => {
    const args = ['--input-type=module', '--check']
    const child = execFile(process.execPath, args, { timeout: CHECK_MS }, (_, __, stderr) => resolve(stderr))
    child.stdin?.on('error', () => {})
    child.stdin?.end(text)
  })
  const [, line] = /^\[stdin\]:(\d+)/.exec(said) ?? []
  return line && `line ${line}`
}
