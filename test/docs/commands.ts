import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isSourceName } from '../../src/common/own-source-names.js'
import { checkCommand } from '../commands/check.js'
import { textOf } from '../deploy/files.js'
import { checkDocker, checkExists, checkRunScript } from './docker.js'
import { type Block, documentAt } from './documents.js'
import { checkKubectl } from './kubectl.js'
import { SCRIPTS, VARIABLES } from './names.js'
import { checkAddress, checkRequest, type ShownRequest, withToken } from './requests.js'
import { commandsOf } from './shell.js'

type Checker = (args: readonly string[], block: Block) => void | Promise<void>

const logweir: Checker = (args, { document }) =>
  withFiles(args, document, (real) => checkCommand(withKnownSources(real, document)))

/** Replaces own sources in queries by one of the nine: the process of the tests knows those only. */
function withKnownSources(args: readonly string[], document: string): readonly string[] {
  const names = [...(documentAt(document)?.text ?? '').matchAll(/--sources ([a-z_,]+)/g)].map(([, list]) => list!)
  if (names.length === 0) return args
  const own = new RegExp(`\\bfrom (?:${names.join('|').replaceAll(',', '|')})\\b`, 'g')
  return args.map((arg, i) => (args[i - 1] === '--sql' ? arg.replaceAll(own, 'from edge_logs') : arg))
}

const { version, peerDependencies } = JSON.parse(textOf('package.json'))
const TARBALL = `./logweir-${version}.tgz`

/** The programs that shell blocks may run, with the checkers of their arguments. */
const PROGRAMS: Readonly<Record<string, Checker>> = {
  logweir,
  'dist/cli.js': logweir,
  [`logweir-${version}-linux-x64/logweir`]: logweir,
  curl: (args) => checkRequest(requestOf(args)),
  npm: checkNpm,
  docker: (args) => checkDocker(args, { checkInner: checkInContainer, checkOwn: checkCommand }),
  kubectl: (args) => checkKubectl(args, checkCommand),
  sh: checkScriptFile,
  cp: (args) => args.slice(0, -1).forEach(checkExists),
  export: (args) => args.forEach(checkVariable),
  '.ci/run': () => checkExists('.ci/run'),
  // Common programs. Their arguments are not checked.
  base64: () => {},
  jq: () => {},
  openssl: () => {},
  grep: () => {},
  tail: () => {},
  zcat: () => {},
  journalctl: () => {},
  node: () => {},
  nginx: () => {},
  python3: () => {},
  sed: () => {},
  tar: checkArchive,
  npx: checkNpx,
}

/** Throws if a command of a block would not work, or if the program of a command has no checker. */
export async function checkShell(block: Block): Promise<void> {
  const commands = commandsOf(block.text)
  if (commands.length === 0) throw new Error('no command')
  for (const { assignments, words } of commands) {
    assignments.forEach(checkVariable)
    const [program, ...args] = words
    if (program === undefined) continue
    const check = PROGRAMS[program]
    if (check === undefined) throw new Error(`nobody checks the program ${program}`)
    await check(args, block)
  }
}

/** Replaces the files of flags: that of `--config` by the TOML block of the page, that of `--sql-file` by a query. */
function withFiles(args: readonly string[], document: string, check: (args: readonly string[]) => void): void {
  const toml = () => {
    const shown = documentAt(document)?.blocks.find(({ language }) => language === 'toml')
    if (shown === undefined) throw new Error(`${document} shows no file of settings`)
    return shown.text
  }
  const contents: Record<string, () => string> = { '--config': toml, '--sql-file': () => 'select 1' }
  const folder = mkdtempSync(join(tmpdir(), 'logweir-docs-'))
  try {
    check(
      args.map((arg, i) => {
        const content = contents[args[i - 1] ?? '']
        if (content === undefined) return arg
        writeFileSync(join(folder, arg), content(), { mode: 0o600 })
        return join(folder, arg)
      }),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Returns the request of a curl command. Throws at unknown flags. */
function requestOf(args: readonly string[]): ShownRequest {
  const headers: Record<string, string> = {}
  let url: string | undefined
  let body: string | undefined
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    if (arg === '-d') body = args[++i]!
    else if (arg === '-H') {
      const [name, value] = withToken(args[++i]!).split(': ')
      headers[name!] = value!
    } else if (url === undefined && arg.startsWith('http://')) url = arg
    else if (arg !== '-N' && arg !== '-sS') throw new Error(`nobody checks this of curl: ${arg}`)
  }
  if (url === undefined) throw new Error('curl asks nobody')
  return { url, headers, method: body === undefined ? 'GET' : 'POST', ...(body !== undefined && { body }) }
}

function checkNpm([command, first, second, ...more]: readonly string[]): void {
  if (command === 'install' && first === '--global') [second!, ...more].forEach(checkInstalled)
  else if (command === 'run') checkScript(first!)
  else if (command !== 'ci') checkScript(command!)
  else if (first === '--prefix') checkExists(`${second}/package.json`)
}

/** Checks the argument of `npm install --global`: the package, or a native part in the version that is tested. */
function checkInstalled(named: string): void {
  const parts = Object.entries(peerDependencies).map(([name, at]) => `${name}@${at}`)
  const allowed = `--allow-scripts=${Object.keys(peerDependencies)}`
  if (![TARBALL, allowed, ...parts].includes(named)) throw new Error(`nobody checks npm install --global ${named}`)
}

/** Checks `npx TARBALL COMMAND`. The arguments of other programs are not checked. */
function checkNpx([name, ...args]: readonly string[]): void {
  if (!name!.includes('logweir')) return
  if (name !== TARBALL) throw new Error(`the package is ${TARBALL}`)
  checkCommand(args)
}

function checkArchive([flags, name]: readonly string[]): void {
  const archive = `logweir-${version}-linux-x64.tar.xz`
  if (flags !== '-xf' || name !== archive) throw new Error(`the archive of the executable is ${archive}`)
}

function checkScript(name: string): void {
  if (!(name in SCRIPTS)) throw new Error(`package.json has no script ${name}`)
}

/** Checks `sh SCRIPT`: a script of deploy/supabase, or the script of Supabase that chooses Compose files. */
function checkScriptFile([script, ...args]: readonly string[]): void {
  if (script === 'run.sh') checkRunScript(args)
  else checkExists(`deploy/supabase/${script}`)
}

/** Checks a command within a container of Supabase's stack, which has Studio's token. */
const checkInContainer = (text: string) => {
  for (const { words } of commandsOf(text.replaceAll('$LOGFLARE_PRIVATE_ACCESS_TOKEN', '$LOGWEIR_TOKEN'))) {
    if (words[0] !== 'curl') throw new Error(`nobody checks ${words[0]} in a container`)
    const { url, method } = requestOf(words.slice(1))
    checkAddress(url, method)
  }
}

/** OpenTelemetry's variables, with a function that checks their values. */
const OTEL: Readonly<Record<string, (value: string) => boolean>> = {
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT(value) {
    checkAddress(value, 'POST')
    return value.endsWith('/v1/logs')
  },
  OTEL_EXPORTER_OTLP_LOGS_HEADERS: (value) => /^x-api-key=[A-Z-]+$/.test(value),
  OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: (value) => /^http\/(protobuf|json)$/.test(value),
  OTEL_SERVICE_NAME: isSourceName,
  OTEL_RESOURCE_ATTRIBUTES(value) {
    const attributes = new URLSearchParams(value.replaceAll(',', '&'))
    return (
      [...attributes.keys()].join() === 'logweir.source,logweir.project' &&
      isSourceName(attributes.get('logweir.source')!)
    )
  },
}

/** The variables of PostgreSQL's clients that the pages name. */
const POSTGRES = new Set(['PGPASSWORD'])

/** Throws if neither the program nor OpenTelemetry nor PostgreSQL knows the variable of an assignment. */
export function checkVariable(assignment: string): void {
  const [name, ...rest] = assignment.split('=')
  const value = rest.join('=')
  const isRight = VARIABLES.has(name!) || POSTGRES.has(name!) ? value !== '' : OTEL[name!]?.(value)
  if (!isRight) throw new Error(`nobody knows ${assignment}`)
}
