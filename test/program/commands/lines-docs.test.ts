import { execFile } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { documentAt } from '../../docs/documents.js'
import { CLI, ROOT, withoutRuntime } from '../support/program.js'

/** Commands of docs/lines.md that an answer follows are run by a shell as a user runs them, over recorded lines. */
const { blocks, text } = documentAt('docs/lines.md')!

/** The first text is a setting of nginx. */
const QUESTIONS = blocks.slice(blocks.findIndex(({ language }) => language === 'text') + 1)

const SHOWN = QUESTIONS.flatMap(({ place, language, text: command }, i) => {
  const answer = QUESTIONS[i + 1]
  return language === 'sh' && answer?.language === 'text' ? [{ place, command, answer: answer.text }] : []
})

const FIXTURES = join(ROOT, 'test/docs/lines')
const DOCKER = '/var/lib/docker/containers/*/'
const fixture = (name: string) => readFileSync(join(FIXTURES, `${name}.ndjson`), 'utf8')
const objectsOf = (lines: string) =>
  lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** The document that kubectl prints, of which jq prints the items. */
const listOf = (name: string) => JSON.stringify({ items: objectsOf(fixture(name)) })

const NODE = `"${process.execPath}"`
/** The programs of the commands, as scripts of a shell. The answers of the page are those of a terminal. */
const PROGRAMS = {
  logweir: `case "$*" in *--format*) exec ${NODE} "${CLI}" "$@";; *) exec ${NODE} "${CLI}" "$@" --format table;; esac`,
  docker: 'cat docker-logs',
  journalctl: 'cat journald.ndjson',
  kubectl: 'case "$2" in pods) cat pods.json;; events) cat events.json;; *) cat kubectl-logs.ndjson;; esac',
  jq: `${NODE} -e 'for (const item of JSON.parse(fs.readFileSync(0)).items) console.log(JSON.stringify(item))'`,
}

/** The lines of a day before, when fewer requests failed. */
const yesterday = (access: string) =>
  access.replaceAll('2026-11-29T', '2026-11-28T').replaceAll('"status":502', '"status":200')

/** Makes a folder with the files and the programs of the commands. */
function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'logweir-lines-'))
  cpSync(FIXTURES, folder, { recursive: true })
  const files = {
    'access.json': fixture('nginx'),
    'access.json.1.gz': gzipSync(yesterday(fixture('nginx'))),
    'app.log': fixture('pino'),
    'worker-json.log': fixture('docker'),
    'docker-logs': objectsOf(fixture('docker'))
      .map(({ log }) => log)
      .join(''),
    'pods.json': listOf('kubectl-pods'),
    'events.json': listOf('kubectl-events'),
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  mkdirSync(join(folder, 'bin'))
  for (const [name, script] of Object.entries(PROGRAMS)) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, 'bin', name), 0o755)
  }
  return folder
}

const folder = createFolder()
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a command. Resolves to the lines of both outputs, those of the standard output first. */
async function run(command: string): Promise<string> {
  const env = { PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}` }
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', command], { cwd: folder, env })
  return stdout.replaceAll('\r\n', '\n') + withoutRuntime(stderr)
}

it('has twenty questions', () => {
  const questions = [...text.matchAll(/^\*\*(\d+)\. [^*]*\?\*\*/gm)]
  const numbers = questions.map(([, number]) => Number(number))
  expect(numbers).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
  expect(SHOWN.length).toBe(numbers.length)
})

it.each(SHOWN.map((shown) => [shown.place, shown] as const))('%s', async (_, { command, answer }) => {
  expect(await run(command.replaceAll(DOCKER, ''))).toBe(answer)
})
