import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/commands/all.js'
import { findCommand } from '../../src/commands/call/find.js'
import { documentAt, found, ROOT } from './documents.js'
import {
  COMPOSE_VARIABLES,
  FLAGS,
  FOREIGN_FLAGS,
  faultOfMetric,
  isPath,
  OWN_METRICS,
  pathExists,
  SCRIPTS,
  TEST_VARIABLES,
  VARIABLES,
} from './names.js'

const FLAG = /(?<![\w-])--[a-z][a-z-]*[a-z]/g
const VARIABLE = /\bLOGWEIR_\w+/g
const METRIC = /\blogweir_\w+(?:\{[^}]*\})?/g

const namesOf = (pattern: RegExp) => found(pattern).map(({ name }) => name)

describe('what the pages name', () => {
  it('is a flag of a command, or of another program that is known', () => {
    const named = found(FLAG)
    expect(named.length).toBeGreaterThan(100)
    expect(named.filter(({ name }) => !FLAGS.has(name) && !(name in FOREIGN_FLAGS))).toEqual([])
    const idle = Object.keys(FOREIGN_FLAGS).filter((flag) => FLAGS.has(flag) || !namesOf(FLAG).includes(flag))
    expect(idle).toEqual([])
  })

  it('is a variable of a setting, or one that the tests read', () => {
    const named = found(VARIABLE)
    expect(named.length).toBeGreaterThan(25)
    const isKnown = (name: string) => VARIABLES.has(name) || COMPOSE_VARIABLES.has(name) || name in TEST_VARIABLES
    expect(named.filter(({ name }) => !isKnown(name))).toEqual([])
    for (const [name, place] of Object.entries(TEST_VARIABLES)) {
      expect(readFileSync(join(ROOT, place.replace('of ', '')), 'utf8')).toContain(name)
      expect(namesOf(VARIABLE)).toContain(name)
    }
  })

  it('is a metric that there is, with labels that it has', () => {
    const named = found(METRIC)
    expect(named.length).toBeGreaterThan(30)
    expect(named.map(({ name }) => faultOfMetric(name)).filter(Boolean)).toEqual([])
    expect(faultOfMetric('logweir_rows{tier}')).toBe('logweir_rows has no label tier')
    expect(faultOfMetric('logweir_row')).toBe('there is no metric logweir_row')
  })

  it('is a command that there is', () => {
    const commands = found(/`logweir ([a-z][^`]*)`/g)
    expect(commands.length).toBeGreaterThan(8)
    for (const { name } of commands) expect(() => findCommand(name.split(' '), COMMANDS)).not.toThrow()
  })

  it('is a script of package.json', () => {
    const named = found(/\bnpm run ([\w:-]+)/g)
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter(({ name }) => !(name in SCRIPTS))).toEqual([])
  })

  it('is a file or folder of the repository', () => {
    const named = found(/`([^`\n]+)`/g, ({ prose }) => prose).filter(({ name }) => isPath(name))
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter(({ name }) => !pathExists(name))).toEqual([])
    expect(['src/common/{sources,none}.ts', 'test/*.none.ts', 'none/seal.ts'].filter(pathExists)).toEqual([])
    expect(
      ['src/common/{sources,columns}.ts', 'test/*.test.ts', 'sealing/seal.ts', 'src/'].filter(pathExists).length,
    ).toBe(4)
  })
})

it('every metric is told of in docs/operations.md', () => {
  const documented = new Set(
    [...documentAt('docs/operations.md')!.text.matchAll(/\blogweir_\w+/g)].map(([name]) => name),
  )
  expect(OWN_METRICS.length).toBeGreaterThan(20)
  expect(OWN_METRICS.filter((name) => !documented.has(name))).toEqual([])
})
