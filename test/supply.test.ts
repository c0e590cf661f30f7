import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const jsonOf = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
const { peerDependencies, devDependencies } = jsonOf('package.json')

interface Locked {
  version: string
  resolved?: string
  integrity?: string
  link?: boolean
}

/** The packages that `npm ci` installs, by path. The first entry, this package itself, is left out. */
const LOCKED = Object.entries<Locked>(jsonOf('package-lock.json').packages).filter(([path]) => path !== '')

const EXACT = /^\d+\.\d+\.\d+$/
/** In earlier versions the time of a token comparison depends on the number of right characters. */
const HONO_AT_LEAST = [4, 11, 10] as const
const AUDIT_MS = 15_000

/** Returns whether a version is `wanted` or later. */
function isAtLeast(version: string, wanted: readonly number[]): boolean {
  const parts = version.split('.').map(Number)
  const differing = wanted.findIndex((part, i) => parts[i] !== part)
  return differing < 0 || parts[differing]! > wanted[differing]!
}

/**
 * Returns npm's counts of known vulnerabilities in all packages: the program's bundle has parts of them. Undefined
 * without a registry.
 */
function audit(): Record<string, number> | undefined {
  const args = ['audit', '--json', '--fetch-retries=0', '--fetch-timeout=5000']
  const { stdout } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8', timeout: AUDIT_MS })
  try {
    return JSON.parse(stdout).metadata.vulnerabilities
  } catch {
    return undefined
  }
}

describe('S7: what the program is made of', () => {
  it('S7: packages are named with exact versions', () => {
    const named = Object.entries<string>({ ...peerDependencies, ...devDependencies })
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter(([, version]) => !EXACT.test(version))).toEqual([])
  })

  it('S7: those named are those locked', () => {
    const locked = new Map(LOCKED.map(([path, { version }]) => [path, version]))
    for (const [name, version] of Object.entries(devDependencies)) {
      expect([name, locked.get(`node_modules/${name}`)]).toEqual([name, version])
    }
  })

  it('S7: everything locked has its checksum, and comes from the registry that npm is set to', () => {
    expect(LOCKED.length).toBeGreaterThan(50)
    const loose = LOCKED.filter(
      ([, { link, resolved, integrity }]) =>
        link === true || resolved !== undefined || !/^sha512-/.test(integrity ?? ''),
    )
    expect(loose).toEqual([])
  })

  it(`S7: Hono is ${HONO_AT_LEAST.join('.')} or later, wherever it is installed`, () => {
    const versions = LOCKED.filter(([path]) => path.endsWith('node_modules/hono')).map(([, { version }]) => version)
    expect(versions).not.toEqual([])
    expect(versions.filter((version) => !isAtLeast(version, HONO_AT_LEAST))).toEqual([])
    expect(isAtLeast(jsonOf('node_modules/hono/package.json').version, HONO_AT_LEAST)).toBe(true)
    expect(['4.11.9', '4.9.11', '3.12.12'].filter((version) => isAtLeast(version, HONO_AT_LEAST))).toEqual([])
    expect(['4.11.10', '4.12.0', '5.0.0'].every((version) => isAtLeast(version, HONO_AT_LEAST))).toBe(true)
  })

  it(
    'S7: npm knows of no high finding in what the program is made of',
    () => {
      const found = audit()
      if (found === undefined) console.log('S7 npm audit could not be asked: findings were not looked for')
      expect(found?.high ?? 0).toBe(0)
      expect(found?.critical ?? 0).toBe(0)
    },
    2 * AUDIT_MS,
  )
})
