import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { flagOf, type Settings, variableOf } from '../src/base/settings.js'
import { readGenerateConfig, readServeConfig, SERVE_SETTINGS } from '../src/config.js'
import { ENDPOINTS } from '../src/endpoints/index.js'
import { cut } from '../src/ingest/cuts.js'
import { SOURCES } from '../src/sources.js'
import { createTestApp } from './http/support.js'

const fileOf = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const readme = fileOf('README.md')
const { scripts } = JSON.parse(fileOf('package.json'))

/** The cells of the table under a heading line. */
function tableUnder(heading: string): string[][] {
  const after = readme.slice(readme.indexOf(heading)).split('\n')
  const rows = after.slice(
    2,
    after.findIndex((line, i) => i > 1 && !line.startsWith('|')),
  )
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const code = (text: string) => (text === '' ? '' : `\`${text}\``)
const commands = [...readme.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block]) => block!.trim().split(/\n| && /))

describe('README', () => {
  it('lists every setting as the program knows it', () => {
    const expected = Object.entries<Settings[string]>(SERVE_SETTINGS).map(
      ([name, { kind, flag, meaning, ...rest }]) => [
        flag === false ? '' : code(`${flagOf(name)} ${kind.placeholder}`.trim()),
        code(variableOf(name)),
        code(rest.default ?? ''),
        meaning,
      ],
    )
    expect(tableUnder('| flag | variable')).toEqual(expected)
  })

  it('lists the sources and the endpoints with their parameters', () => {
    expect(tableUnder('| source | alias')).toEqual(SOURCES.map(({ name, alias }) => [code(name), code(alias)]))
    const endpoints = tableUnder('| endpoint | answers')
    expect(endpoints.map(([name]) => name)).toEqual(ENDPOINTS.map(({ name }) => code(name)))
    ENDPOINTS.forEach(({ params }, i) => {
      for (const param of Object.keys(params)) expect(endpoints[i]![2]).toContain(code(param))
    })
  })

  it('shows commands that work as they stand', async () => {
    expect(commands.length).toBeGreaterThan(6)
    for (const part of commands.flatMap((command) => command.split(' | '))) {
      const [program, command, ...args] = part.split(' ')
      if (part === 'npm ci' || part.startsWith('tail ')) continue
      if (program === 'npm') expect(scripts).toHaveProperty(command === 'run' ? args[0]! : command!)
      else if (part.includes(' -d ')) expect(await sent(part)).toBe('{"message":"Logged!"}')
      else if (program === 'curl') expect(asked(part)).toBeDefined()
      else if (command === 'serve') readServeConfig(args, {})
      else if (command === 'generate') readGenerateConfig(args)
      else throw new Error(`nobody checks this command: ${part}`)
    }
  })

  it('links to what is there', () => {
    for (const [, path] of readme.matchAll(/\]\(([^)]+)\)/g)) {
      expect([path, existsSync(new URL(`../${path}`, import.meta.url))]).toEqual([path, true])
    }
  })
})

/** The call of an endpoint that a curl line makes. */
function asked(line: string) {
  const url = new URL(/'(http[^']+)'/.exec(line)![1]!)
  const endpoint = ENDPOINTS.find(({ name }) => url.pathname === `/api/endpoints/query/${name}`)
  return endpoint?.call(url.searchParams)
}

/** How many records a curl line sends that an app takes, and of which source. */
async function sent(line: string) {
  const [url, body] = [/'(http[^']+)'/.exec(line)![1]!, / -d '([^']+)'/.exec(line)![1]!]
  const intake = {
    trouble: () => undefined,
    async take(bytes: Uint8Array, _: string, { source }: { source?: string }) {
      expect(source).toBe('edge_logs')
      return { taken: [...(await cut(bytes))].length, rejected: 0, byReason: {}, rejects: [] }
    },
  }
  const { get } = createTestApp({ intake })
  const { pathname, search } = new URL(url)
  const [, type] = /Content-Type: ([^']+)'/.exec(line)!
  const answer = await get(pathname + search, { method: 'POST', body, headers: { 'Content-Type': type! } })
  return answer.text()
}
