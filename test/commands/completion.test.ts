import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { completeEndpoint } from '../../src/client/complete.js'
import { COMMANDS } from '../../src/commands/all.js'
import { bashScript } from '../../src/commands/completion/bash.js'
import { fishScript } from '../../src/commands/completion/fish.js'
import { listPositions } from '../../src/commands/completion/positions.js'
import { zshScript } from '../../src/commands/completion/zsh.js'
import { completableCommands, completion } from '../../src/commands/completion.js'
import { flagOf } from '../../src/config/setting.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { definitions } from '../../src/http/query/definitions.js'
import { fakeService, reply } from '../client/fake-service.js'

const positions = listPositions(await completableCommands(COMMANDS))

const has = (shell: string) => spawnSync(shell, ['--version']).error === undefined

/** Arguments with which a shell ignores the configuration of the user. */
const ARGS = { bash: ['--norc', '-c'], zsh: ['-f', '-c'], fish: ['--no-config', '-c'] }

/** Runs a script in a shell and returns the output. */
function sh(shell: keyof typeof ARGS, script: string): string {
  const { stdout, stderr, status } = spawnSync(shell, [...ARGS[shell], script], { encoding: 'utf8' })
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  return stdout
}

const inBash = (words: readonly string[]) =>
  `${bashScript(positions)}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
COMP_LINE='${words.join(' ')}'; COMP_POINT=\${#COMP_LINE}
_logweir
printf '%s\\n' "\${COMPREPLY[@]}"`

/** zsh completes only on a terminal, so functions in place of the builtins print the arguments. */
const inZsh = (words: readonly string[]) =>
  `compdef() { :; }
_describe() { local array=\${@[-1]}; printf '%s\\n' "\${(P@)array%%:*}"; }
compadd() { shift; printf '%s\\n' "$@"; }
_files() { print files "$@"; }
${zshScript(positions)}
words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}
_logweir`

const inFish = (words: readonly string[]) => `${fishScript(positions)}
complete -C '${words.join(' ')}' | string replace -r '\\t.*' ''; true`

const INPUTS = { bash: inBash, zsh: inZsh, fish: inFish }

/** A fake program that prints words if called with the whole line. The noise on stderr must not be shown. */
const PROGRAM = (line: string) => {
  const call = `completion endpoints ${line}`
  const print = "printf '%s\\n' own.errors --own-flag"
  const posix = `logweir() { echo noise >&2; [ "$*" = '${call}' ] && ${print}; }\n`
  const fish = `function logweir; echo noise >&2; test "$argv" = '${call}'; and ${print}; end\n`
  return { bash: posix, zsh: posix, fish }
}

/** Returns the words that a shell offers for a line and that begin with the last word of the line. */
function offered(shell: keyof typeof INPUTS, line: string): string[] {
  const words = ['logweir', ...line.split(' ')]
  const lines = sh(shell, PROGRAM(words.join(' '))[shell] + INPUTS[shell](words))
    .split('\n')
    .filter(Boolean)
  return lines.filter((one) => one.startsWith(words.at(-1)!)).sort()
}

describe('the places of a command line', () => {
  it('hold every command and every flag', () => {
    const pathOf = new Map(positions.map((position) => [position.path, position]))
    for (const { name, settings } of COMMANDS) {
      const flags = Object.entries(settings).flatMap(([setting, { flag }]) => (flag === false ? [] : [flagOf(setting)]))
      expect(pathOf.get(name)!.flags.map(({ flag }) => flag)).toEqual([...flags, '--help'])
      const [first, second] = name.split(' ')
      expect(pathOf.get('')!.words.map(({ word }) => word)).toContain(first)
      if (second !== undefined) expect(pathOf.get(first!)!.words.map(({ word }) => word)).toContain(second)
    }
    for (const name of ['query', 'watch'])
      expect(pathOf.get(name)!.words.map(({ word }) => word)).toEqual(ENDPOINTS.map((endpoint) => endpoint.name))
  })

  it('hold no word that a shell could take for more', () => {
    const all = positions.flatMap(({ words, flags }) => [
      ...words.map(({ word }) => word),
      ...flags.map(({ flag }) => flag),
    ])
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
    ['query o', ['own.errors']],
    ['query --url http://127.0.0.1:4000 o', ['own.errors']],
    ['query own.errors --project a --ow', ['--own-flag']],
    ['query logs.all --ow', []],
    ['watch o', ['own.errors']],
    ['watch usage.api-counts --project x --in', ['--interval']],
    ['watch own.errors --project a --ow', ['--own-flag']],
    ['watch --format n', ['ndjson']],
    ['tail --ow', []],
    ['token l', ['list']],
    ['sql --fo', ['--format']],
    ['sql a --format n', ['ndjson']],
    ['help tok', ['token']],
    ['completion ', ['bash', 'fish', 'zsh']],
  ])('behind "%s"', (line, expected) => {
    const found = offered(shell, line)
    // If no letter is typed, bash and zsh offer flags too.
    expect(found.filter((word) => (!line.endsWith(' ') && line !== '') || !word.startsWith('-'))).toEqual(
      [...expected].sort(),
    )
  })

  it('offers folders behind sql', () => {
    const root = mkdtempSync(join(tmpdir(), 'logweir-folders-'))
    onTestFinished(() => rmSync(root, { recursive: true }))
    mkdirSync(join(root, 'data dir'))
    writeFileSync(join(root, 'data.txt'), '')
    const found = offered(shell, `sql ${root}/dat`)
    // zsh completes paths by a function that the test replaces.
    if (shell === 'zsh') expect(sh('zsh', inZsh(['logweir', 'sql', `${root}/dat`]))).toBe('files -/\n')
    else expect(found.map((path) => path.replace(/\/$/, ''))).toEqual([join(root, 'data dir')])
  })

  it('offers files behind lines', () => {
    const root = mkdtempSync(join(tmpdir(), 'logweir-files-'))
    onTestFinished(() => rmSync(root, { recursive: true }))
    writeFileSync(join(root, 'data.json'), '')
    const words = ['logweir', 'lines', 'query', `${root}/dat`]
    if (shell === 'zsh') expect(sh('zsh', inZsh(words))).toBe('files\n')
    else expect(offered(shell, words.slice(1).join(' '))).toEqual([join(root, 'data.json')])
  })

  it('is whole: every word of every place is offered there', () => {
    for (const { path, words, flags } of positions) {
      const line = path === '' ? '' : `${path} `
      const found = [...offered(shell, line), ...offered(shell, `${line}--`)]
      const expected = [...words.map(({ word }) => word), ...flags.map(({ flag }) => flag)]
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

describe('words that only the service knows', () => {
  const parameters = ['project', 'least_status'].map((name) => ({ name, required: false, description: '' }))
  const OWN = [
    { name: 'own.errors', parameters },
    { name: '$(reboot)', parameters: [] },
    { name: 'own.paths', parameters: [{ name: 'a b', required: false, description: '' }] },
  ]
  const KNOWN = ENDPOINTS.map(({ name }) => name)
  const LISTING = { result: [...JSON.parse(definitions(ENDPOINTS)).result, ...OWN] }

  const LOGS_ALL_FLAGS = Object.keys(ENDPOINTS[0]!.params).map((name) => `--${name.replaceAll('_', '-')}`)

  it.each([
    ['logweir query ', ['own.errors', 'own.paths']],
    ['logweir query o', ['own.errors', 'own.paths']],
    ['logweir query --format csv ', ['own.errors', 'own.paths']],
    ['logweir query own.errors --', ['--project', '--least-status']],
    ['logweir query own.errors --project a --le', ['--project', '--least-status']],
    ['logweir query own.paths --', []],
    ['logweir watch ', ['own.errors', 'own.paths']],
    ['logweir watch --format ndjson ', ['own.errors', 'own.paths']],
    ['logweir watch own.errors --pro', ['--project', '--least-status']],
    ['logweir watch --format csv ', []],
    ['logweir tail ', []],
    ['watch query own.errors --', ['--project', '--least-status']],
    ['logweir query logs.all --', []],
    ['logweir query own.errors --project ', []],
    ['logweir query nope --', []],
    ['logweir query --format xml ', []],
    ["logweir query --sql 'select count(*)' --pro", LOGS_ALL_FLAGS],
    ['logweir query --sql "select \'a\'" --format csv --', LOGS_ALL_FLAGS],
    ["logweir query own.errors --sql 'select 1' --le", ['--project', '--least-status']],
  ])('behind "%s"', async (line, expected) => {
    const { url } = await fakeService((_, response) => reply(response, LISTING))
    expect(await completeEndpoint(line, { LOGWEIR_URL: url, LOGWEIR_TOKEN: 'open' }, KNOWN)).toEqual(expected)
  })

  it('are none if the service refuses, lists nothing, or is not there', async () => {
    const refusing = await fakeService((_, response) => reply(response, {}, 'application/json', 401))
    const strange = await fakeService((_, response) => reply(response, 'hello'))
    for (const url of [refusing.url, strange.url, 'http://127.0.0.1:1', 'no-url']) {
      expect(await completeEndpoint('logweir query ', { LOGWEIR_URL: url, LOGWEIR_TOKEN: 'open' }, KNOWN)).toEqual([])
    }
    expect(await completeEndpoint('logweir query ', { LOGWEIR_DATA_DIR: '/nowhere' }, KNOWN)).toEqual([])
  })

  it('are none if the service hangs, soon', async () => {
    const { url, requests } = await fakeService((_, response) => void response.write(' '))
    expect(await completeEndpoint('logweir query ', { LOGWEIR_URL: url, LOGWEIR_TOKEN: 'open' }, KNOWN)).toEqual([])
    expect(requests).toHaveLength(1)
  }, 5_000)
})
