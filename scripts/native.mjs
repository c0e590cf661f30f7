/**
 * Adds the native parts, which are optional peers of the package: compiles them unless compiled ones are found. Does
 * not change package.json. Run `npm run native`.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const { peerDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const packages = Object.entries(peerDependencies).map(([name, version]) => `${name}@${version}`)
// As development packages, because npm skips optional peers.
execFileSync('npm', ['install', '--no-save', '--save-dev', ...packages], { stdio: 'inherit' })
