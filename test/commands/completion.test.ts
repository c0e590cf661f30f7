import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { flagOf } from '../../src/base/settings.js'
import { COMMANDS } from '../../src/commands/all.js'
import { bashScript } from '../../src/commands/completion/bash.js'
import { fishScript } from '../../src/commands/completion/fish.js'
import { placesOf } from '../../src/commands/completion/places.js'
import { zshScript } from '../../src/commands/completion/zsh.js'
import { completion } from '../../src/commands/completion.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'

const places = await placesOf(COMMANDS)

const has = (shell: string) => spawnSync(shell, ['--version']).error === undefined

/** Without what the user of the machine has set. */
const ARGS = { bash: ['--norc', '-c'], zsh: ['-f', '-c'], fish: ['--no-config', '-c'] }

/** Runs a script in a shell. */
function sh(shell: keyof typeof ARGS, script: string): string {
  const { stdout, stderr, status } = spawnSync(shell, [...ARGS[shell], script], { encoding: 'utf8' })
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  return stdout
}

const inBash = (words: readonly string[]) =>
  `${bashScript(places)}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_logweir
printf '%s\\n' "\${COMPREPLY[@]}"`

/** zsh completes only at a terminal: what the script hands to its builtins is told instead. */
const inZsh = (words: readonly string[]) =>
  `compdef() { :; }
_describe() { local array=\${@[-1]}; printf '%s\\n' "\${(P@)array%%:*}"; }
compadd() { shift; printf '%s\\n' "$@"; }
_files() { print files "$@"; }
${zshScript(places)}
words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}
_logweir`

const inFish = (words: readonly string[]) => `${fishScript(places)}
complete -C '${words.join(' ')}' | string replace -r '\\t.*' ''; true`

const INPUTS = { bash: inBash, zsh: inZsh, fish: inFish }

/** What a shell offers behind some words, the last of them not yet ended, as far as it begins with it. */
function offered(shell: keyof typeof INPUTS, line: string): string[] {
  const words = ['logweir', ...line.split(' ')]
  const lines = sh(shell, INPUTS[shell](words)).split('\n').filter(Boolean)
  return lines.filter((one) => one.startsWith(words.at(-1)!)).sort()
}

describe('the places of a command line', () => {
  it('hold every command and every flag', () => {
    const pathOf = new Map(places.map((place) => [place.path, place]))
    for (const { name, settings } of COMMANDS) {
      const flags = Object.entries(settings).flatMap(([setting, { flag }]) => (flag === false ? [] : [flagOf(setting)]))
      expect(pathOf.get(name)!.flags.map(({ flag }) => flag)).toEqual([...flags, '--help'])
      const [first, second] = name.split(' ')
      expect(pathOf.get('')!.next.map(({ word }) => word)).toContain(first)
      if (second !== undefined) expect(pathOf.get(first!)!.next.map(({ word }) => word)).toContain(second)
    }
    expect(pathOf.get('query')!.next.map(({ word }) => word)).toEqual(ENDPOINTS.map(({ name }) => name))
  })

  it('hold no word that a shell could take for more', () => {
    const all = places.flatMap(({ next, flags }) => [...next.map(({ word }) => word), ...flags.map(({ flag }) => flag)])
    expect(all.filter((word) => !/^[a-z0-9.-]+$/.test(word))).toEqual([])
  })
})

describe.each(['bash', 'zsh', 'fish'] as const)('completion of %s', (shell) => {
  if (!has(shell)) {
    it(`needs ${shell}: skipped, it is not installed`, () => {
      console.warn(`completion of ${shell}: not tested, for it is not installed`)
      expect(has(shell)).toBe(false)
    })
    return
  }

  it.each([
    ['', [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0]!))]],
    ['co', ['completion', 'config']],
    ['schema ', ['clickhouse']],
    ['schema clickhouse --ap', ['--apply']],
    ['serve --po', ['--port']],
    ['serve --data-dir x --por', ['--port']],
    ['serve --data-dir query --por', ['--port']],
    ['schema --url clickhouse ', ['clickhouse']],
    ['serve --engine ', ['clickhouse', 'embedded']],
    ['serve --engine e', ['embedded']],
    ['serve --port ', []],
    ['query f', ['functions.invocation-stats']],
    ['query logs.all --iso', ['--iso-timestamp-end', '--iso-timestamp-start']],
    ['query usage.api-counts --project x --in', ['--interval']],
    ['query --format t', ['table']],
    ['completion ', ['bash', 'fish', 'zsh']],
  ])('behind "%s"', (line, expected) => {
    const found = offered(shell, line)
    // Behind no letter bash and zsh offer flags too.
    expect(found.filter((word) => (!line.endsWith(' ') && line !== '') || !word.startsWith('-'))).toEqual(
      [...expected].sort(),
    )
  })

  it('is whole: every word of every place is offered there', () => {
    for (const { path, next, flags } of places) {
      const line = path === '' ? '' : `${path} `
      const found = [...offered(shell, line), ...offered(shell, `${line}--`)]
      const expected = [...next.map(({ word }) => word), ...flags.map(({ flag }) => flag)]
      expect(found).toEqual(expect.arrayContaining(expected))
    }
  })
})

it.each([
  [[], 'completion for which shell? There are: bash, zsh, fish.'],
  [['bsh'], 'unknown shell "bsh". Did you mean bash?'],
  [['bash', 'x'], 'unexpected argument "x". Try: logweir --help'],
])('refuses %j', async (args, message) => {
  const context = {} as Parameters<typeof completion.run>[1]
  await expect(completion.run(args, context)).rejects.toThrow(message)
})
