import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMMANDS } from '../../src/commands/all.js'
import { flagOf, variableOf } from '../../src/config/setting.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { seriesOf } from '../deploy/promql.js'
import { ROOT } from './documents.js'

const SETTINGS = COMMANDS.flatMap(({ settings }) => Object.entries(settings))

/** The flags of our commands; parameters of endpoints are flags of `logweir query`. */
export const FLAGS: ReadonlySet<string> = new Set([
  '--help',
  ...SETTINGS.filter(([, { flag }]) => flag !== false).map(([name]) => flagOf(name)),
  ...ENDPOINTS.flatMap(({ params }) => Object.keys(params).map((name) => `--${name.replaceAll('_', '-')}`)),
])

/** Flags that the pages name of other programs. */
export const FLAGS_OF_OTHERS: Readonly<Record<string, string>> = {
  '--command': 'psql',
  '--env': 'docker',
  '--interactive': 'docker',
  '--max-semi-space-size': 'node',
  '--memory': 'docker',
  '--module': 'tsc',
  '--no-align': 'psql',
  '--prefix': 'npm',
  '--publish': 'docker',
  '--save-dev': 'npm',
  '--tag': 'docker',
  '--tuples-only': 'psql',
  '--volume': 'docker',
  '--write': 'biome',
}

export const VARIABLES: ReadonlySet<string> = new Set(
  SETTINGS.filter(([, { variable }]) => variable !== false).map(([name]) => variableOf(name)),
)

/** Variables that begin as ours and are no settings. */
export const VARIABLES_OF_OTHERS: Readonly<Record<string, string>> = {
  LOGWEIR_TEST_SOAK_MINUTES: 'of test/program/soak.slow.test.ts',
  LOGWEIR_TEST_SEED: 'of test/support/seed.ts',
}

/** What is wrong with a metric as a page names it, as `name{label,label="value"}`; undefined where there is one. */
export function faultOfMetric(named: string): string | undefined {
  const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(named)!
  const known = seriesOf().get(name!) ?? histogramLabels(name!)
  if (known === undefined) return `there is no metric ${name}`
  const strange = labels.split(',').filter((label) => label !== '' && !known.includes(label.split('=')[0]!.trim()))
  return strange.length === 0 ? undefined : `${name} has no label ${strange.join(', ')}`
}

/** A page names a histogram by what its three series begin with. */
const histogramLabels = (name: string) => seriesOf().get(`${name}_count`)

/** The metrics of our own, a histogram as one. */
export const OWN_METRICS: readonly string[] = [...seriesOf().keys()]
  .filter((name) => name.startsWith('logweir_') && !/_(sum|bucket)$/.test(name))
  .map((name) => (seriesOf().has(`${name.replace(/_count$/, '')}_sum`) ? name.replace(/_count$/, '') : name))

/** The folders that pages name files of. */
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

/** The built program, and every file and folder in those; `/` before it, so that a path begins where a name does. */
const FILES = [...Object.values(bin), ...FOLDERS.flatMap((folder) => [folder, ...filesUnder(folder)])].map(
  (path) => `/${path}`,
)

const ENDINGS = /\.(ts|mjs|js|sh|service)$/

/** Whether a text between backticks names a file or folder of the repository, be it there or not. */
export function isPath(word: string): boolean {
  if (!/^[\w.{},*-]+(\/[\w.{},*-]*)*$/.test(word) || word.startsWith('*.')) return false
  const [first, ...rest] = word.split('/')
  return rest.length > 0 && (FOLDERS.includes(first!) || ENDINGS.test(word))
}

/** Whether there is such a file or folder, by its whole path or the end of it; `{a,b}` stands for both, `*` for any name. */
export function isThere(path: string): boolean {
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
