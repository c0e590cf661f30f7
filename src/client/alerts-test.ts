import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import { escapeControlInDocument } from '../base/text/escape-control.js'
import { MIB } from '../base/units.js'
import { RULE_TEST_PATH } from '../common/rule-test-path.js'
import { ALERTS_TEST_SETTINGS } from '../config/client-settings.js'
import { unknownFlag } from '../config/command-line.js'
import type { Environment } from '../config/environment.js'
import { readSettings } from '../config/read-settings.js'
import { flagOf, type ValuesOf } from '../config/setting.js'
import { readSqlFile } from '../config/sql-text.js'
import { withExcerpt } from './excerpt.js'
import { type RowsOut, writeTable } from './output.js'
import { connectService, ServiceError, textUpTo } from './service.js'
import type { Row } from './table/table.js'

/** The configuration of `logweir alerts test`. */
export interface AlertsTestConfig extends ValuesOf<typeof ALERTS_TEST_SETTINGS> {
  /** The file of the rule. */
  file: string
  /** The variable or place in a file that contains the token. Undefined if none is set. */
  tokenFrom: string | undefined
}

/** The answer of the service. */
interface Tested {
  result: readonly Transition[]
  steps: number
  failed: number
  method: string
  from: string
  to: string
  omitted: number
  note: string
}

interface Transition {
  instant: string
  state: string
  labels: Row
  values: Row
  text: string
}

const FORM_TYPE = 'application/json'
/** The service sends about 16 MiB at most. */
const MAX_ANSWER_BYTES = 64 * MIB

/** Reads the configuration of `logweir alerts test`. Throws `usage`. */
export function readAlertsTest(args: readonly string[], environment: Environment, warn: Log): AlertsTestConfig {
  const { values, extras, found } = readSettings(ALERTS_TEST_SETTINGS, args, environment, { warn, allowsExtras: true })
  const [file, extra] = extras.operands
  const [unknown] = extras.flags
  if (unknown !== undefined) throw unknownFlag(unknown[0], Object.keys(ALERTS_TEST_SETTINGS).map(flagOf))
  if (file === undefined) throw usageError('test which rule? logweir alerts test FILE')
  if (extra !== undefined) throw usageError(`unexpected argument ${JSON.stringify(extra)}. Test one rule at a time.`)
  return { ...values, file, tokenFrom: found.get('token')?.where }
}

/**
 * Asks a service which transitions a rule would have had, and writes the transitions: a table on a terminal, else a
 * line of JSON each. `log` gets a line about the method. Rejects with a {@link ServiceError}, `usage`, `failed` if the
 * file cannot be read, or EPIPE.
 */
export async function runAlertsTest(
  { file, last, ...config }: AlertsTestConfig,
  out: RowsOut,
  log: Log,
): Promise<void> {
  const rule = readSqlFile(file)
  const service = connectService(config)
  try {
    const answer = await service.post(RULE_TEST_PATH.slice(1), new URLSearchParams({ rule, last }), {
      Accept: FORM_TYPE,
    })
    const tested = readTested(await textUpTo(answer.body, MAX_ANSWER_BYTES), service.url)
    log(summaryOf(tested))
    if (out.terminal !== undefined) await writeTable(tested.result.map(rowOf), {}, out)
    else for (const transition of tested.result) await out.write(`${JSON.stringify(transition)}\n`)
  } catch (error) {
    throw withExcerpt(error, rule, out.errorColumns)
  }
}

function readTested(json: string, url: string): Tested {
  try {
    const tested = JSON.parse(json) as Tested
    if (Array.isArray(tested.result)) return tested
  } catch {}
  throw new ServiceError(`${url} answers with no transitions. Is a logweir service there?`)
}

const METHODS: Readonly<Record<string, string>> = {
  buckets: 'by groups of pieces of time',
  steps: 'by a query for each instant',
}

/** A line such as `20,160 evaluations from … to …, by groups of pieces of time; by timestamps of …`. */
function summaryOf({ steps, failed, method, from, to, omitted, note }: Tested): string {
  const failures = failed > 0 ? `, of which ${numberText(failed)} failed` : ''
  const left = omitted > 0 ? `; ${numberText(omitted)} earlier transitions are left out` : ''
  const evaluations = steps === 1 ? '1 evaluation' : `${numberText(steps)} evaluations`
  const text = `${evaluations}${failures}, from ${from} to ${to}, ${METHODS[method] ?? method}; ${note}${left}`
  return escapeControlInDocument(text)
}

const numberText = (number: number) => number.toLocaleString('en-US')

const FIXED = ['instant', 'state', 'text']

/** A row of the table: a column for each label and each value. */
function rowOf({ instant, state, labels, values, text }: Transition): Row {
  const named = (part: string, columns: Row) =>
    Object.entries(columns).map(([name, value]) => [FIXED.includes(name) ? `${part}.${name}` : name, value])
  const columns = Object.fromEntries([...named('labels', labels), ...named('values', values)])
  return { instant, state, ...columns, text }
}
