/**
 * Adds the native parts, which are optional peers of the package: compiles them unless compiled ones are found. Does
 * not change package.json: `npm run native`. With a folder as an argument, installs them there.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const { peerDependencies: dependencies, allowScripts } = manifest
const install = (...args) => execFileSync('npm', ['install', '--no-save', ...args], { stdio: 'inherit' })

const folder = process.argv[2]
if (folder === undefined) {
  const packages = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`)
  // As development packages, because npm skips optional peers.
  install('--save-dev', ...packages)
} else {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies, allowScripts }))
  install('--prefix', folder)
}
