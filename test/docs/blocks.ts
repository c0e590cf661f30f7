import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { parseAst } from 'vitest/node'
import { parse as parseYaml } from 'yaml'
import { readReceivers } from '../../src/alerts/delivery/receivers.js'
import { ruleOf } from '../../src/alerts/rules/rule.js'
import { DAY_US } from '../../src/base/units.js'
import { eventLine } from '../../src/client/event-line.js'
import { createLiveResult } from '../../src/client/live-result.js'
import { SOURCE_NAMES } from '../../src/common/sources.js'
import { fileNameOf, isInFile } from '../../src/config/setting.js'
import { FILE_SETTINGS } from '../../src/config/settings.js'
import { sampleCall } from '../../src/endpoints/sample.js'
import { readWatermark } from '../../src/http/subscribe/watermark.js'
import { readCursor } from '../../src/http/tail/cursor.js'
import { BEGINNING } from '../../src/http/tail/events.js'
import { parseMasks } from '../../src/masking/parse.js'
import { answerColumns } from '../../src/plan/answer.js'
import { parseRetention } from '../../src/retention/parse.js'
import { tryPlan } from '../../src/service/try-plan.js'
import { SQL_LIMITS } from '../../src/sql/parse/limits.js'
import { readSql } from '../../src/sql/read-sql.js'
import { checkedEndpoint } from '../../src/user-endpoints/checked-endpoint.js'
import { readFrontMatter } from '../../src/user-endpoints/front-matter.js'
import { sqlEndpoint } from '../../src/user-endpoints/sql-endpoint.js'
import { validateEndpoint } from '../../src/user-endpoints/validate.js'
import { viewEndpoint } from '../../src/user-endpoints/view-endpoint.js'
import { readableViews } from '../../src/views/definition/registry.js'
import { textOf } from '../deploy/files.js'
import { parseEvents } from '../support/events.js'
import { checkShell, checkVariable } from './commands.js'
import { type Block, documentAt, ROOT } from './documents.js'
import { checkAddress, recordsIn } from './requests.js'

type Checker = (block: Block) => void | Promise<void>

/** The checkers of blocks, by language. */
export const LANGUAGES: Readonly<Record<string, Checker>> = {
  sh: checkShell,
  dotenv: ({ text }) => text.trim().split('\n').forEach(checkVariable),
  json: checkJson,
  toml: ({ document, text }) => (TOML_OF.get(document) ?? checkSettings)(text),
  yaml: ({ text }) => checkSinks(parseYaml(text)),
  // test/user-endpoints compares the examples with the files. test/program/shippers runs the example of pino.
  js: ({ text }) => void parseAst(text),
  mermaid: ({ text }) => checkDiagram(text),
  xml: ({ text }) => checkXml(text),
  sql: ({ document, text }) => (SQL_OF.get(document) ?? checkEndpoint)(text),
  text: ({ document, text }) => checkText(document, text),
}

/** The checkers of files in TOML that are no settings, by document. */
const TOML_OF: ReadonlyMap<string, (text: string) => void> = new Map<string, (text: string) => void>([
  ['docs/alerts.md', checkReceivers],
  ['docs/retention.md', (text) => void parseRetention(parseToml(text), { mostUs: 90 * DAY_US, placeOf: () => 'it' })],
  ['docs/masking.md', (text) => void parseMasks(parseToml(text), () => 'it')],
])

const checkSettings = (text: string) => Object.entries(parseToml(text)).forEach(checkSetting)

/** Throws if a block contradicts the program, or if the language has no checker. */
export async function checkBlock(block: Block): Promise<void> {
  const check = LANGUAGES[block.language]
  if (check === undefined) throw new Error(`nobody checks blocks of ${block.language || 'no language'}`)
  await check(block)
}

/** Throws if the text is not JSON, or if it names a source and the program rejects it as a record. */
async function checkJson({ text }: Block): Promise<void> {
  const value = JSON.parse(text)
  if (value.source === undefined) return
  const { taken } = await recordsIn(text, 'json', {})
  if (taken !== 1) throw new Error(`the program does not take ${text}`)
}

function checkSetting([name, value]: [string, unknown]): void {
  const [, setting] = Object.entries(FILE_SETTINGS).find(([key]) => fileNameOf(key) === name) ?? []
  const isRight = setting !== undefined && isInFile(setting) && setting.type.read(String(value)) !== undefined
  if (!isRight) throw new Error(`a file of settings cannot say ${name} = ${value}`)
}

interface Sink {
  type: string
  uri: string
  method: string
  healthcheck?: { uri: string }
  request?: { headers: Record<string, string> }
}

/** The options in which sinks may differ. All other options must equal the options of deploy/vector.yaml. */
const OWN_OPTIONS = ['inputs', 'uri', 'auth', 'request', 'healthcheck']

/** Checks the sinks of a Vector configuration. Other YAML has no sinks. */
function checkSinks({ sinks = {} }: { sinks?: Record<string, Sink> }): void {
  const tested = parseYaml(textOf('deploy/vector.yaml')).sinks.logweir
  for (const sink of Object.values(sinks)) {
    checkAddress(sink.uri, sink.method)
    if (sink.healthcheck !== undefined) checkAddress(sink.healthcheck.uri, 'GET')
    for (const [name, value] of Object.entries(sink)) {
      const isTested = OWN_OPTIONS.includes(name) || JSON.stringify(value) === JSON.stringify(tested[name])
      if (!isTested) throw new Error(`deploy/vector.yaml has another ${name}`)
    }
    const [header = 'x-api-key', ...more] = Object.keys(sink.request?.headers ?? {})
    if (header !== 'x-api-key' || more.length > 0) throw new Error(`nobody checks the header ${header}`)
  }
}

const LABEL = '"([^"]+)"'
const NODE = `\\w+(?:\\[\\(?${LABEL}\\)?\\])?`
const EDGE = new RegExp(`^ +${NODE} -->\\|${LABEL}\\| ${NODE}$`)

/**
 * Checks a flowchart: throws if a line is not an edge, or if an edge is labelled with a request that the service does
 * not answer.
 */
function checkDiagram(text: string): void {
  const [head, ...edges] = text.trimEnd().split('\n')
  if (!/^flowchart (LR|TD)$/.test(head!)) throw new Error(`no flowchart: ${head}`)
  for (const edge of edges) {
    const label = EDGE.exec(edge)?.[2]
    if (label === undefined) throw new Error(`no edge: ${edge}`)
    const [, method, path] = /^([A-Z]+) (.*)$/.exec(label) ?? []
    if (method !== undefined) checkAddress(`http://localhost${path}`, method)
  }
}

/** Throws if elements are not closed in the right order. */
function checkXml(text: string): void {
  const open: string[] = []
  const rest = text.replaceAll(/<(\/?)(\w+)>/g, (_, slash, name) => {
    if (slash === '') open.push(name)
    else if (open.pop() !== name) throw new Error(`${name} ends without its beginning`)
    return ''
  })
  if (open.length > 0 || /[<>&]/.test(rest)) throw new Error(`no XML: ${[...open, rest].join(' ')}`)
}

/** Throws if the text is no file of receivers that can be used, given the variables that it names. */
function checkReceivers(text: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'logweir-docs-'))
  const file = join(folder, 'receivers.toml')
  const variables = [...text.matchAll(/env = "(\w+)"/g)].map(([, name]) => [name!, 'http://127.0.0.1/'])
  try {
    writeFileSync(file, text, { mode: 0o600 })
    readReceivers(file, Object.fromEntries(variables))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Throws if the text is no file of an alert rule, or if no engine can run the plan. */
async function checkRule(text: string): Promise<void> {
  await tryPlan(ruleOf(text, 'rule', readSql, Date.now() * 1000).planAt(Date.now() * 1000))
}

/** Throws if the text is no `.sql` file of an endpoint, or if the plan cannot be run. */
function checkEndpoint(text: string): void {
  const endpoint = checkedEndpoint(sqlEndpoint(text, 'own.file', readSql))
  const problem = validateEndpoint(endpoint)
  if (problem !== undefined) throw new Error(problem)
  answerColumns(sampleCall(endpoint)!.plan(0))
}

/** Throws if the text is neither a view nor an endpoint that reads the views of the page. */
async function checkViewOrReader(text: string): Promise<void> {
  const viewOf = (file: string) => viewEndpoint(file, 'own.file', readFrontMatter(file))
  if (readFrontMatter(text).view !== undefined) return tryPlan(sampleCall(viewOf(text))!.plan(0))
  const files = documentAt('docs/views.md')!.blocks.map((block) => block.text)
  const views = readableViews(
    files.filter((file) => readFrontMatter(file).view !== undefined).map((file) => viewOf(file).view),
  )
  await tryPlan(sampleCall(sqlEndpoint(text, 'own.file', (sql) => readSql(sql, SQL_LIMITS, views)))!.plan(0))
}

/**
 * Throws if a statement names a table of neither the schema nor the server. test/clickhouse runs the statements if
 * there is a server.
 */
function checkStatements(text: string): void {
  for (const statement of text.trim().split('\n')) {
    const [, database, table] = /^(?:SELECT .* FROM|ALTER TABLE) (\w+)\.(\w+) /.exec(statement) ?? []
    const isOurs = database === 'logweir' && SOURCE_NAMES.some((name) => table === name || table === `${name}_shard`)
    if (!isOurs && database !== 'system') throw new Error(`nobody checks this statement: ${statement}`)
  }
}

/** The checkers of blocks of SQL that is no endpoint, by page. */
const SQL_OF: ReadonlyMap<string, (text: string) => void | Promise<void>> = new Map([
  ['docs/scale-out.md', checkStatements],
  ['docs/alerts.md', checkRule],
  ['docs/views.md', checkViewOrReader],
])

/** The checkers of blocks of the language `text`, by page. */
const TEXTS: Readonly<Record<string, (text: string) => void>> = {
  // test/program/shippers/any-logs.test.ts gives the lines to nginx.
  'docs/any-logs.md': () => {},
  'docs/architecture.md': checkRooms,
  'docs/command-line.md': checkWatched,
  // test/program/commands/lines-docs.test.ts runs the commands and compares the answers.
  'docs/lines.md': () => {},
  'docs/operations.md': (text) => (text.startsWith('logweir-data/') ? checkTree(text) : checkFindings(text)),
  'docs/subscriptions.md': checkStates,
  'docs/tail.md': checkEvents,
  'docs/scale-out.md': checkArithmetic,
  'docs/own-endpoints.md': checkFault,
}

function checkText(document: string, text: string): void {
  const check = TEXTS[document]
  if (check === undefined) throw new Error(`nobody checks texts of ${document}`)
  check(text)
}

/** Throws unless each line is an event as `logweir watch` prints it, and the events follow one another. */
function checkWatched(text: string): void {
  const result = createLiveResult()
  for (const line of text.trimEnd().split('\n')) {
    const { event, id, ...more } = JSON.parse(line)
    const data = JSON.stringify(more)
    if (eventLine({ event, id, data }) !== line) throw new Error(`logweir watch does not print ${line}`)
    result.apply({ event, id, data })
  }
}

/** Every path that does not start with a slash is a file or a folder of src. */
function checkRooms(text: string): void {
  for (const [path] of text.matchAll(/(?<![\w/])\w[\w-]*\/[\w/.-]*/g)) {
    if (!existsSync(join(ROOT, 'src', path))) throw new Error(`src has no ${path}`)
  }
}

/** The source files that contain the file names of a data directory. */
const FILE_NAME_SOURCES = [
  'src/engine/disk/directory/format.ts',
  'src/engine/store/files/file-names.ts',
  'src/engine/store/files/segment-file.ts',
  'src/engine/clickhouse/delivery/group-journals.ts',
  'src/engine/disk/lock/file-marker.ts',
  'src/engine/disk/lock/socket-marker.ts',
  'src/ingest/rejects.ts',
  'src/tokens/tokens-file.ts',
  'src/tokens/stored-token.ts',
  'src/check/findings/set-aside.ts',
  'src/alerts/store/store.ts',
  'src/views/catalog/file-names.ts',
  'src/retention/file-names.ts',
  'src/masking/key-file.ts',
]

/** Throws if the program does not write a file of the tree. `<…>` is a variable part. */
function checkTree(text: string): void {
  const code = FILE_NAME_SOURCES.map(textOf).join('\n')
  for (const line of text.trimEnd().split('\n').slice(1)) {
    const names = /^ +(\S+)/.exec(line)![1]!.split('/')
    const fixed = names.filter((name) => name !== '' && !name.includes('<'))
    const strange = fixed.filter((name) => !code.includes(`'${name}'`) && !code.includes(`/${name}\``))
    if (strange.length > 0) throw new Error(`the program writes no ${strange.join(', ')}`)
  }
}

/** Throws if a line is no line of `logweir check`. test/check compares the lines with those of a damaged directory. */
function checkFindings(text: string): void {
  for (const line of text.trimEnd().split('\n')) {
    if (!/^(?:fault|note): [\w./-]+: .+$|^read .+ files, .+ rows, .+ bytes: .+ faults$/.test(line)) {
      throw new Error(`logweir check does not print: ${line}`)
    }
  }
}

/**
 * Throws unless the text starts like a stream of the program and has a single event with a valid id and the columns of
 * `logs.all`.
 */
function checkEvents(text: string): void {
  const [, id, data] = /^id: (.*)\ndata: (.*)\n\n$/.exec(text.replace(BEGINNING.toString(), '')) ?? []
  if (id === undefined || readCursor(id) === undefined) throw new Error(`no stream of events: ${text}`)
  const columns = Object.keys(JSON.parse(data!.replaceAll('{…}', '{}')))
  if (columns.join() !== 'id,timestamp,event_message,metadata') throw new Error(`no row of logs.all: ${data}`)
}

/**
 * Throws unless the text starts like a stream of the program and its events have watermarks and the members that the
 * program sends, and unless the change is shorter than the answer.
 */
function checkStates(text: string): void {
  const { events } = parseEvents(text.replace(BEGINNING.toString(), ''))
  const shown = events.map(({ type, lastEventId, data }) => {
    const { watermark, ...others } = JSON.parse(data)
    if (watermark !== lastEventId || readWatermark(watermark) === undefined) throw new Error(`no watermark: ${data}`)
    return `${type}: ${Object.keys(others)}`
  })
  if (shown.join('; ') !== 'snapshot: result,key; change: upsert,delete') throw new Error(`no stream: ${text}`)
  if (events[1]!.data.length > events[0]!.data.length) throw new Error('the change is longer than the answer')
}

/** Throws unless each line has a sum in brackets, `(a × b ÷ c = d)`, that is right to the nearest integer. */
function checkArithmetic(text: string): void {
  const sums = [...text.matchAll(/\(([\d,]+(?: [×÷] [\d,]+)+) = ([\d,]+)\)/g)]
  if (sums.length !== text.trim().split('\n').length) throw new Error(`a line without its sum: ${text}`)
  for (const [sum, left, right] of sums) {
    const [first, ...others] = left!.replaceAll(',', '').split(/ (?=[×÷])/)
    const value = others.reduce((so, step) => (step[0] === '×' ? so * +step.slice(2) : so / +step.slice(2)), +first!)
    if (Math.round(value) !== +right!.replaceAll(',', '')) throw new Error(`${sum} is ${value}`)
  }
}

/** Throws unless the text is the line that the service writes if `now()` is in the example. */
function checkFault(text: string): void {
  const example = textOf('examples/endpoints/postgres.errors.sql')
  const log = (message: string) =>
    'user endpoints: postgres.errors.sql cannot be used; its previous version stays: postgres.errors. ' +
    `endpoints/postgres.errors.sql: ${message}\n`
  try {
    sqlEndpoint(example.replace('current_timestamp()', 'now()'), 'postgres.errors', readSql).call(PROJECT).plan(0)
  } catch (error) {
    if (text !== log((error as Error).message)) throw new Error(`the service writes ${log((error as Error).message)}`)
    return
  }
  throw new Error('now() is right')
}

const PROJECT = new URLSearchParams('project=a')
