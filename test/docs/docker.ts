import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { textOf } from '../deploy/files.js'
import { ROOT } from './documents.js'

/** Supabase's own files, next to which ours are copied. */
const THEIRS = ['docker-compose.yml', 'docker-compose.logs.yml']
/** The container and the volume of our service in the stack of Supabase. Compose puts the project before the volume. */
const CONTAINER = 'supabase-analytics'
const volumes = () =>
  Object.keys(parse(textOf('deploy/supabase/docker-compose.logweir.yml')).volumes).map((name) => `supabase_${name}`)
/** The image that deploy/kubernetes pulls. */
const kubernetesImage = () => {
  const [{ newName, newTag }] = parse(textOf('deploy/kubernetes/kustomization.yaml')).images
  return `${newName}:${newTag}`
}

/** Checkers of the commands that run in a container. */
interface Inner {
  /** Checks a text of a shell. */
  checkInner(text: string): void
  /** Checks the arguments of our program. */
  checkOwn(args: readonly string[]): void
}

/** Throws if a docker command of a page names a file, a container or a volume that there is not. */
export function checkDocker([command, ...args]: readonly string[], { checkInner, checkOwn }: Inner): void {
  if (command === 'build') checkBuild(args)
  else if (command === 'compose') checkCompose(args, checkOwn)
  else if (command === 'exec') checkExec(args, checkInner)
  else if (command === 'volume') checkName(args.at(-1)!, volumes())
  else if (command === 'push') checkName(args[0]!, [kubernetesImage()])
  // Of containers of the user.
  else if (command !== 'run' && command !== 'logs') throw new Error(`nobody checks docker ${command}`)
}

/** Throws if there is no Dockerfile, or if an image for a registry has another name than deploy/kubernetes pulls. */
function checkBuild(args: readonly string[]): void {
  checkExists('Dockerfile')
  const tag = args[args.indexOf('--tag') + 1]!
  if (tag.includes('/')) checkName(tag, [kubernetesImage()])
}

/**
 * Throws if a file of `-f` is neither Supabase's nor ours. Without `-f`, throws if there is no compose.yaml.
 * `run … analytics` is followed by a command of ours.
 */
function checkCompose(args: readonly string[], checkOwn: Inner['checkOwn']): void {
  const files = args.filter((_, i) => args[i - 1] === '-f')
  if (files.length === 0) checkExists('compose.yaml')
  for (const file of files) if (!THEIRS.includes(file)) checkExists(`deploy/supabase/${file}`)
  if (args.includes('run')) checkOwn(args.slice(args.indexOf('analytics') + 1))
}

/** Checks `docker exec CONTAINER sh -c 'COMMAND'`. */
function checkExec([container, shell, flag, inner]: readonly string[], checkInner: Inner['checkInner']): void {
  checkName(container!, [CONTAINER])
  if (shell !== 'sh' || flag !== '-c') throw new Error(`nobody checks docker exec ${container} ${shell}`)
  checkInner(inner!)
}

/** Throws if the script `run.sh` of Supabase would not find the file to add. */
export function checkRunScript([command, action, name]: readonly string[]): void {
  if (command !== 'config') return
  const file = `docker-compose.${name}.yml`
  if (action !== 'remove' && !THEIRS.includes(file)) checkExists(`deploy/supabase/${file}`)
}

/** Throws if a name is not one of those known. */
export function checkName(name: string, known: readonly string[]): void {
  if (!known.includes(name)) throw new Error(`there is no ${name}`)
}

/** Throws if the repository has no such file or folder. */
export function checkExists(path: string): void {
  if (!existsSync(join(ROOT, path))) throw new Error(`there is no ${path}`)
}
