import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMMANDS } from '../../src/commands/all.js'
import { flagOf } from '../../src/config/setting.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { textOf } from '../deploy/files.js'
import { seriesOf } from '../deploy/promql.js'
import { variablesOf } from '../support/variables.js'
import { EXAMPLES } from '../user-endpoints/examples.js'
import { ROOT } from './documents.js'

const SETTINGS = COMMANDS.flatMap(({ settings }) => Object.entries(settings))

/** The flags of all commands. Parameters of endpoints are flags of `logweir query`. */
export const FLAGS: ReadonlySet<string> = new Set([
  '--help',
  '--version',
  ...SETTINGS.filter(([, { flag }]) => flag !== false).map(([name]) => flagOf(name)),
  ...[...ENDPOINTS, ...EXAMPLES.map(({ endpoint }) => endpoint)].flatMap(({ params }) =>
    Object.keys(params).map((name) => `--${name.replaceAll('_', '-')}`),
  ),
])

/** Flags of other programs that the pages name. */
export const FOREIGN_FLAGS: Readonly<Record<string, string>> = {
  '--allow-scripts': 'npm',
  '--build-arg': 'docker',
  '--env': 'docker',
  '--fix': 'knip',
  '--from-file': 'kubectl',
  '--global': 'npm',
  '--interactive': 'docker',
  '--max-semi-space-size': 'node',
  '--memory': 'docker',
  '--no-git-tag-version': 'npm',
  '--module': 'tsc',
  '--prefix': 'npm',
  '--publish': 'docker',
  '--rm': 'docker',
  '--selector': 'kubectl',
  '--sign': 'codesign',
  '--save-dev': 'npm',
  '--tag': 'docker',
  '--try': 'scripts/release.mjs',
  '--volume': 'docker',
  '--write': 'biome',
}

export const VARIABLES: ReadonlySet<string> = new Set(COMMANDS.flatMap(({ settings }) => variablesOf(settings)))

/** Variables of `.env` that the Compose files for Supabase read. Some variables are no settings of the program. */
export const COMPOSE_VARIABLES: ReadonlySet<string> = new Set(
  [...textOf('deploy/supabase/docker-compose.logweir.yml').matchAll(/\$\{(LOGWEIR_\w+)/g)].map(([, name]) => name!),
)

/** Variables that begin with LOGWEIR_ but are not settings, with the file that reads the variable. */
export const TEST_VARIABLES: Readonly<Record<string, string>> = {
  LOGWEIR_NATIVE_PARTS: 'of src/base/native-part.ts',
  LOGWEIR_CI_NODES: 'of .ci/run',
  LOGWEIR_TEST_SOAK_MINUTES: 'of test/program/soak.slow.test.ts',
  LOGWEIR_TEST_NODES: 'of scripts/runs.mjs',
  LOGWEIR_TEST_SEED: 'of test/support/seed.ts',
  LOGWEIR_TEST_SCALE: 'of test/support/runs.ts',
}

/**
 * Returns the fault of a metric as a page writes it, `name{label,label="value"}`, or undefined if the metric exists
 * with these labels.
 */
export function faultOfMetric(named: string): string | undefined {
  const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(named)!
  const known = seriesOf().get(name!) ?? histogramLabels(name!)
  if (known === undefined) return `there is no metric ${name}`
  const strange = labels.split(',').filter((label) => label !== '' && !known.includes(label.split('=')[0]!.trim()))
  return strange.length === 0 ? undefined : `${name} has no label ${strange.join(', ')}`
}

/** The labels of a histogram, which a page names without the suffix of the three series. */
const histogramLabels = (name: string) => seriesOf().get(`${name}_count`)

/** The names of the service's own metrics, a name per histogram. */
export const OWN_METRICS: readonly string[] = [...seriesOf().keys()]
  .filter((name) => name.startsWith('logweir_') && !/_(sum|bucket)$/.test(name))
  .map((name) => (seriesOf().has(`${name.replace(/_count$/, '')}_sum`) ? name.replace(/_count$/, '') : name))

/** The folders of the files that pages name. */
const FOLDERS = ['.ci', 'wasm', 'bench', 'deploy', 'docs', 'examples', 'scripts', 'src', 'test']

function filesUnder(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      return entry.isDirectory() ? [path, ...filesUnder(path)] : [path]
    })
}

const {
  bin,
  scripts,
}: Record<'bin' | 'scripts', Record<string, string>> = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** The scripts of `npm run`. */
export const SCRIPTS = scripts

/**
 * The built program and every file and folder in FOLDERS, with `/` before the path so that a match starts at a whole
 * name.
 */
const FILES = [...Object.values(bin), ...FOLDERS.flatMap((folder) => [folder, ...filesUnder(folder)])].map(
  (path) => `/${path}`,
)

const ENDINGS = /\.(ts|mjs|js|sh|service)$/

/** Returns whether a text between backticks has the form of a repository path, whether or not the path exists. */
export function isPath(word: string): boolean {
  if (!/^[\w.{},*-]+(\/[\w.{},*-]*)*$/.test(word) || word.startsWith('*.')) return false
  const [first, ...rest] = word.split('/')
  return rest.length > 0 && (FOLDERS.includes(first!) || ENDINGS.test(word))
}

/** Returns whether a file or folder exists, by the path or the end of the path. `{a,b}` means both, `*` any name. */
export function pathExists(path: string): boolean {
  return alternativesOf(path.replace(/\/$/, '')).every((one) => {
    const pattern = new RegExp(`/${one.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`)
    return FILES.some((file) => pattern.test(file))
  })
}

function alternativesOf(path: string): string[] {
  const braces = /\{([^}]*)\}/.exec(path)
  if (braces === null) return [path]
  return braces[1]!.split(',').flatMap((one) => alternativesOf(path.replace(braces[0], one)))
}
