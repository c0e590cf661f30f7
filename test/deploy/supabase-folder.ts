import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { temporaryFolder } from '../tokens/folder.js'
import { ROOT } from './files.js'
import { ENV, OURS, OURS_OLDER, STACK } from './supabase-stack.js'

export const SCRIPT = join(ROOT, 'deploy/supabase/check.sh')
export const VECTOR = 'volumes/logs/vector.yml'
const SINK = 'http://analytics:4000/api/logs?source_name='
export const VECTOR_YML = `sinks:
  logflare_auth:
    uri: '${SINK}gotrue.logs.prod'
  # uri: '${SINK}commented.out'
  logflare_db:
    uri: '${SINK}postgres.logs'
`

const socketFolder = mkdtempSync(join(tmpdir(), 'logweir-docker-'))
/** A socket in the place of Docker's socket. It stays until the process ends, because several files use the socket. */
export const socket = join(socketFolder, 'docker.sock')
const socketServer = createServer().listen(socket).unref()
await once(socketServer, 'listening')
process.once('exit', () => rmSync(socketFolder, { recursive: true, force: true }))

/** A program `docker` with the given images and version of Compose. Without images the program does not answer. */
const dockerOf = ({ images = ['logweir:0.1.0'], compose = '2.40.3' }: Docker) => `#!/bin/sh
case "$*" in
'version') exit ${images === null ? 1 : 0} ;;
'image inspect '*) case "$3" in ${images?.join(' | ')}) exit 0 ;; *) exit 1 ;; esac ;;
'compose version --short') echo '${compose}' ;;
*) echo "the script ran docker $*" >&2; exit 9 ;;
esac
`

interface Docker {
  images?: readonly string[] | null
  compose?: string
}

/** A folder with a stack, as the folder differs from a stack without fault. */
export interface Case {
  /** Files that differ from the files of a stack without fault. Null removes a file. */
  files?: Readonly<Record<string, string | null>>
  /** Variables of `.env` that differ. Null removes a variable. */
  env?: Readonly<Record<string, string | null>>
  docker?: Docker
  stack?: Readonly<Record<string, string>>
}

export interface Checked {
  status: number | null
  lines: string[]
  stderr: string
}

/** Runs the script in a folder, and expects that the script changes nothing there. */
export function check({ files = {}, env = {}, docker = {}, stack = STACK }: Case = {}): Checked {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'volumes/logs'), { recursive: true })
  mkdirSync(join(folder, 'volumes/api/envoy'), { recursive: true })
  for (const name of [OURS, OURS_OLDER]) cpSync(join(ROOT, 'deploy/supabase', name), join(folder, name))
  const assignments = Object.entries({ ...ENV, DOCKER_SOCKET_LOCATION: socket, ...env })
  const dotenv = assignments.filter(([, value]) => value !== null).map(([name, value]) => `${name}=${value}\n`)
  const all = { ...stack, [VECTOR]: VECTOR_YML, '.env': `# made\n\n${dotenv.join('')}`, ...files }
  const contents = Object.entries(all).filter((file): file is [string, string] => file[1] !== null)
  for (const [name, text] of contents) writeFileSync(join(folder, name), text)
  for (const [name, text] of Object.entries(files)) if (text === null) rmSync(join(folder, name), { force: true })

  const bin = temporaryFolder()
  writeFileSync(join(bin, 'docker'), dockerOf(docker), { mode: 0o755 })
  const before = stateOf(folder)
  const { status, stdout, stderr } = spawnSync('sh', [SCRIPT, folder], {
    encoding: 'utf8',
    env: { PATH: `${bin}:${process.env.PATH}` },
  })
  expect(stateOf(folder)).toEqual(before)
  for (const secret of [ENV.POSTGRES_PASSWORD, ENV.LOGFLARE_PUBLIC_ACCESS_TOKEN, ENV.LOGFLARE_PRIVATE_ACCESS_TOKEN]) {
    expect(stdout + stderr).not.toContain(secret)
  }
  return { status, lines: stdout.trimEnd().split('\n'), stderr }
}

const stateOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const path = join(folder, name)
    const { mtimeMs, mode } = statSync(path)
    return [name, mode, mtimeMs, statSync(path).isFile() ? readFileSync(path, 'utf8') : '']
  })

/** The lines of a kind, without a program of this machine that listens on port 4000. */
export const linesOf = ({ lines }: Checked, kind: string) =>
  lines
    .filter((line) => line.startsWith(`${kind}:`) && !line.includes('listens on port 4000'))
    .map((line) => line.slice(kind.length + 1).trim())
