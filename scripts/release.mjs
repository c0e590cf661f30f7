/**
 * Makes the files of a release in build/release, on a clean checkout: `npm run release`. The package, the executable
 * for Linux, the files that a container image is built from, the notes of the release, and checksums. Publishes
 * nothing.
 *
 *   --try   any checkout, and the notes of the unreleased changes if there are some: to test the script
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pathOf } from './program.mjs'
import { releaseNotes } from './release-notes.mjs'

const PLATFORM = 'linux-x64'
const RELEASE = pathOf('build/release')
/** The same files give the same archive. */
const EQUAL = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner']

const { values } = parseArgs({ options: { try: { type: 'boolean', default: false } } })
const { version } = JSON.parse(readFileSync(pathOf('package.json'), 'utf8'))
const run = (program, ...args) => execFileSync(program, args, { cwd: pathOf(''), stdio: 'inherit' })
const read = (program, ...args) => execFileSync(program, args, { cwd: pathOf(''), encoding: 'utf8' })

/** The files and folders that .dockerignore leaves in. */
const IMAGE = readFileSync(pathOf('.dockerignore'), 'utf8')
  .split('\n')
  .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))

if (!values.try && read('git', 'status', '--porcelain') !== '') {
  console.error('release: the checkout has changes. Commit them, or try the script with --try.')
  process.exit(1)
}
const notes = releaseNotes(readFileSync(pathOf('CHANGELOG.md'), 'utf8'), version, { allowUnreleased: values.try })
rmSync(RELEASE, { recursive: true, force: true })
mkdirSync(RELEASE, { recursive: true })
writeFileSync(join(RELEASE, 'NOTES.md'), notes)

run('npm', 'run', 'build')
run('npm', 'pack', '--ignore-scripts', '--pack-destination', RELEASE)

run('node', 'scripts/build-executable.mjs', PLATFORM)
const folder = pathOf(`build/logweir-${version}-${PLATFORM}`)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
copyFileSync(pathOf(`build/logweir-${PLATFORM}`), join(folder, 'logweir'))
copyFileSync(pathOf(`build/executable-${PLATFORM}/LICENSES.txt`), join(folder, 'LICENSES.txt'))
for (const name of ['LICENSE', 'README.md', 'CHANGELOG.md']) copyFileSync(pathOf(name), join(folder, name))
const archive = join(RELEASE, `logweir-${version}-${PLATFORM}.tar.xz`)
run(
  'tar',
  ...EQUAL,
  '--use-compress-program=xz -T0 -2',
  '-cf',
  archive,
  '-C',
  pathOf('build'),
  `logweir-${version}-${PLATFORM}`,
)

const context = read('git', 'ls-files', '--', 'Dockerfile', '.dockerignore', ...IMAGE)
  .trim()
  .split('\n')
run('tar', ...EQUAL, '-czf', join(RELEASE, `logweir-${version}-image.tar.gz`), ...context)

const sums = readdirSync(RELEASE).map((name) => {
  const sum = createHash('sha256')
    .update(readFileSync(join(RELEASE, name)))
    .digest('hex')
  return `${sum}  ${name}\n`
})
writeFileSync(join(RELEASE, 'SHA256SUMS'), sums.join(''))
console.log(readdirSync(RELEASE).join('\n'))
