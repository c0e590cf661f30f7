import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { BACKTEST_LIMITS } from '../../src/alerts/backtest/backtest.js'
import { TRANSITION_LIMITS } from '../../src/alerts/backtest/transitions.js'
import { QUEUE_LIMITS } from '../../src/alerts/delivery/queue.js'
import { MAX_RECEIVERS } from '../../src/alerts/delivery/receivers.js'
import { MAX_ANSWER_BYTES, SEND_TIMEOUT_MS } from '../../src/alerts/delivery/send.js'
import { MAX_MESSAGE_ALERTS, MAX_MESSAGE_CHARACTERS } from '../../src/alerts/delivery/slack.js'
import { MAX_REQUEST_ALERTS, MAX_REQUEST_BYTES } from '../../src/alerts/delivery/webhook.js'
import { MAX_LISTED_ALERTS } from '../../src/alerts/evaluate/answers.js'
import { MAX_RULE_COLUMNS } from '../../src/alerts/rules/rule.js'
import { MAX_LABEL_CHARACTERS } from '../../src/alerts/states/labels.js'
import { ALERT_LIMITS } from '../../src/alerts/states/limits.js'
import { MIN_LIMIT_BYTES, ROWS_SHARE } from '../../src/base/memory/memory.js'
import { budgetLimits, PROGRESS_BYTES } from '../../src/base/memory/memory-budget.js'
import { MAX_PATTERN_LENGTH, MAX_PATTERN_SIZE, MAX_PATTERNS_SIZE } from '../../src/base/pattern/pattern.js'
import { DAY_US, GIB, HOUR_US, KIB, MIB } from '../../src/base/units.js'
import {
  MAX_ENDPOINT_NAME_CHARACTERS,
  MAX_ENDPOINT_ROWS,
  MAX_EXPLORED_ROWS,
  MAX_VIEW_ROWS,
} from '../../src/common/limits.js'
import { MAX_OWN_SOURCES, MAX_SOURCE_NAME_CHARACTERS } from '../../src/common/own-source-names.js'
import { MAX_TOKEN_SOURCES } from '../../src/common/source-refusals.js'
import { MAX_USAGE_ROWS } from '../../src/common/usage.js'
import { LINES_SETTINGS, MAX_TOKEN_PROJECTS } from '../../src/config/directory-settings.js'
import { MAX_DAYS, SERVE_SETTINGS } from '../../src/config/serve-settings.js'
import { projectName, tokenName } from '../../src/config/value-types.js'
import { DELETION_LIMITS } from '../../src/deletions/deletions.js'
import { MAX_BUCKET_ROWS } from '../../src/endpoints/explored-buckets.js'
import { MAX_NAME_CHARACTERS as FIELD_CHARACTERS } from '../../src/endpoints/field-name.js'
import { MAX_CONDITIONS, MAX_VALUES } from '../../src/endpoints/filter.js'
import { logsAll } from '../../src/endpoints/logs-all.js'
import { DEFAULT_ROWS } from '../../src/endpoints/logs-explore.js'
import { MAX_FIELDS, SAMPLE } from '../../src/endpoints/logs-fields.js'
import { MAX_WARNINGS } from '../../src/endpoints/name-warning.js'
import { MAX_MATCH_CHARACTERS, PROJECTS } from '../../src/endpoints/projects.js'
import { BATCH_GROUP_LIMITS } from '../../src/engine/clickhouse/delivery/batch-groups.js'
import { UNCONFIRMED_BYTES } from '../../src/engine/clickhouse/engine.js'
import { POLL_LIMITS } from '../../src/engine/clickhouse/follow/follow.js'
import { PART_ROWS } from '../../src/engine/clickhouse/query/stage-rows.js'
import { GROUPING_LIMITS, MAX_FIRST_ROWS } from '../../src/engine/engine.js'
import { EXACT_DISTINCT } from '../../src/engine/execute/accumulators/distinct.js'
import { MAX_COUNTED_ROWS } from '../../src/engine/store/tables/column-paths.js'
import { SEAL_BYTES, SEAL_ROWS } from '../../src/engine/store/tables/head-limits.js'
import { WRONG_TOKEN_LIMITS } from '../../src/http/access/wrong-tokens.js'
import { LOGS_LIMITS } from '../../src/http/intake/logs.js'
import { postedLimits } from '../../src/http/intake/posted-parameters.js'
import { COUNTING } from '../../src/http/query/deletions.js'
import { HTTP_LIMITS } from '../../src/http/query/limits.js'
import { RULE_TEST_MS } from '../../src/http/query/rule-tests.js'
import { SERVER_LIMITS } from '../../src/http/server/server.js'
import { SUBSCRIPTION_LIMITS } from '../../src/http/subscribe/limits.js'
import { TAIL_LIMITS } from '../../src/http/tail/limits.js'
import { MAX_LISTED_REJECTS, MAX_RECORDS } from '../../src/ingest/body/body.js'
import { MAX_LINE_BYTES } from '../../src/ingest/lines/check-lines.js'
import { BATCH_BYTES, BATCH_ROWS } from '../../src/ingest/lines/record-sink.js'
import { REJECTS_FILE_BYTES } from '../../src/ingest/rejects.js'
import { OWN_BATCH_BYTES, OWN_BATCH_ROWS } from '../../src/ingest/wasm/own-builders.js'
import { MAX_PATH_KEYS as MAX_MASK_KEYS, MAX_RULES as MAX_MASKS, MAX_PATTERNS } from '../../src/masking/parse.js'
import { MAX_NESTING } from '../../src/otlp/request.js'
import { TRANSLATOR_LIMITS } from '../../src/otlp/translator.js'
import { MAX_VALUE_LENGTH } from '../../src/plan/functions/function.js'
import { MAX_STEPS } from '../../src/plan/functions/json-path.js'
import { MAX_FORMER_RULES, MAX_FORMER_TIMES } from '../../src/retention/history.js'
import { MAX_PROJECTS, MAX_FILE_BYTES as MAX_RETENTION_FILE_BYTES, MAX_TIERS } from '../../src/retention/parse.js'
import { VIEWS_SHARE } from '../../src/service/open-components.js'
import { SQL_LIMITS } from '../../src/sql/parse/limits.js'
import { MAX_TOKENS } from '../../src/tokens/entry.js'
import { MAX_FILE_BYTES } from '../../src/tokens/tokens-file.js'
import { MAX_FILES } from '../../src/user-endpoints/directory.js'
import { DEFAULT_MAX_ROWS } from '../../src/user-endpoints/front-matter.js'
import { MAX_ENDPOINTS, MAX_VIEWS } from '../../src/user-endpoints/open.js'
import { MAX_SQL_FILE_BYTES } from '../../src/user-endpoints/sql-file.js'
import { MAX_PARAMETERS, MAX_SUMMARY_CHARACTERS, MAX_TTL_S } from '../../src/user-endpoints/validate.js'
import { MAX_VIEW_BYTES } from '../../src/user-endpoints/view-endpoint.js'
import { BUCKET_GROUPS, PROJECT_SHARE } from '../../src/views/catalog/bounds.js'
import { VIEW_BYTES } from '../../src/views/catalog/catalog.js'
import { DAY_CACHE_BYTES } from '../../src/views/catalog/day-cache.js'
import { MAX_MINUTE_KEEP_US } from '../../src/views/definition/definition.js'
import { MAX_KEEP_US, MIN_KEEP_US } from '../../src/views/definition/keep.js'
import { MAX_DEPTH, MAX_NAME_BYTES, MAX_NAMES } from '../../src/wasm-layout/field-table.js'
import { MAX_VALUE_BYTES, MAX_VALUES as MAX_VALUES_OF_PATH } from '../../src/wasm-layout/path-interner.js'
import { ROOT } from './documents.js'

/** A limit as docs/limits.md names it, and its value in the code. */
type Limit = readonly [limit: string, value: string]

const count = (value: number): string => value.toLocaleString('en-US')

/** The largest unit of which the bytes are a whole number. */
function bytes(value: number): string {
  const [unit, name] = (
    [
      [GIB, 'GiB'],
      [MIB, 'MiB'],
      [KIB, 'KiB'],
    ] as const
  ).find(([of]) => value % of === 0)!
  return `${count(value / unit)} ${name}`
}

const seconds = (ms: number): string => (ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`)

/** The number in the text that says which values a setting accepts. */
const mostCharacters = ({ expects }: { expects: string }): string => /at most (\d+) characters/.exec(expects)![1]!

/** The value of a constant that a file does not export: a product or a quotient of numbers and units. */
function constantIn(path: string, name: string): number {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const [first, ...others] = new RegExp(`^const ${name} = (.*)$`, 'm').exec(text)![1]!.split(/ (?=[*/] )/)
  const numberOf = (word: string) => ({ GIB, MIB, KIB })[word] ?? Number(word)
  return others.reduce((value, step) => {
    const operand = numberOf(step.slice(2))
    return step.startsWith('*') ? value * operand : value / operand
  }, numberOf(first!))
}

const PATH_COLUMNS = 'src/engine/store/path-columns/make-path-columns.ts'
const TOML_FILE = 'src/config/toml-file.ts'
const CACHES = 'src/engine/execute/caches/caches.ts'
const ROW_WORK = 'src/engine/execute/expressions/row-work.ts'
const SHARES = 'src/http/query/limits.ts'
const ofLimit = (share: number): string => `1/${1 / share} of the memory limit`

const ONE_GIB = budgetLimits(GIB)
const ANY = budgetLimits(Number.MAX_SAFE_INTEGER)
const posted = postedLimits(GIB)

/** The limits of each section of docs/limits.md, in the order of the rows there. */
export const LIMITS: Readonly<Record<string, readonly Limit[]>> = {
  Answers: [
    ['rows of a query in SQL', count(logsAll.maxRows)],
    ['rows of an endpoint of your own', `${count(DEFAULT_MAX_ROWS)}, or as declared up to ${count(MAX_ENDPOINT_ROWS)}`],
    ['an answer of a [view](views.md#reading)', `${count(MAX_VIEW_ROWS)} rows, ${bytes(MAX_VIEW_BYTES)} of values`],
    ['rows of a page of `logs.explore`', `${DEFAULT_ROWS}, or as requested up to ${count(MAX_EXPLORED_ROWS)}`],
    ['rows of `logs.histogram` and `logs.measure`', count(MAX_BUCKET_ROWS)],
    ['fields that `logs.fields` lists', count(MAX_FIELDS)],
    [
      'rows in which `logs.fields` looks for fields',
      `${count(SAMPLE.rows)}, or ${bytes(SAMPLE.characters)} of metadata`,
    ],
    ['rows of a range in which `logs.fields` counts fields with columns', count(MAX_COUNTED_ROWS)],
    ['keys of a field that `logs.fields` lists', count(SAMPLE.depth)],
    ['rows of `/api/projects`', count(PROJECTS.maxRows)],
    ['rows of `/api/usage`', count(MAX_USAGE_ROWS)],
    ['an answer that is sent as a whole', bytes(HTTP_LIMITS.bufferedBytes)],
    ['warnings about names', count(MAX_WARNINGS)],
  ],
  Queries: [
    ['queries that run at once', `${HTTP_LIMITS.queriesAtOnce / availableParallelism()} per core`],
    ['queries that wait for a slot', `${HTTP_LIMITS.queriesWaiting}, for ${seconds(HTTP_LIMITS.waitMs)}`],
    ['slots for SQL of clients', 'half of all'],
    ['SQL of clients that waits for a slot', `${HTTP_LIMITS.sqlQueriesWaiting}, for ${seconds(HTTP_LIMITS.waitMs)}`],
    ['time of a query', seconds(HTTP_LIMITS.queryMs)],
    ['memory of a query and its answer', `${bytes(ONE_GIB.shareBytes)} of 1 GiB, at most ${bytes(ANY.shareBytes)}`],
    ['memory of all queries and their answers', `${bytes(ONE_GIB.bytes)} of 1 GiB`],
    ['wait of a query for memory', seconds(ONE_GIB.waitMs)],
    ['pace of a client while other queries wait', `${bytes(PROGRESS_BYTES)} in ${seconds(ONE_GIB.slowMs)}`],
    ['groups of a query', count(GROUPING_LIMITS.groups)],
    ['rows of the `order by` and `limit` with which only the memory of the groups counts', count(MAX_FIRST_ROWS)],
    ['memory of the groups', bytes(GROUPING_LIMITS.bytes)],
    ['distinct values that are counted exactly', count(EXACT_DISTINCT)],
    ['characters of a value that a function makes', count(MAX_VALUE_LENGTH)],
    ['text that is made of a single row', bytes(constantIn(ROW_WORK, 'MAX_ROW_CHARACTERS'))],
  ],
  SQL: [
    ['length of the text', bytes(SQL_LIMITS.textBytes)],
    ['expressions', count(SQL_LIMITS.expressions)],
    ['levels', count(SQL_LIMITS.levels)],
    ['sources read', count(SQL_LIMITS.scans)],
    ['lists joined', count(SQL_LIMITS.unnests)],
    ['columns of a SELECT, keys of GROUP BY and ORDER BY', count(SQL_LIMITS.columns)],
    ['steps of a path', count(MAX_STEPS)],
  ],
  'Parameters and filters': [
    ['URL and headers', bytes(SERVER_LIMITS.headBytes)],
    ['parameters in the body of a `POST`', bytes(posted.bodyBytes)],
    ['all such bodies at once', bytes(posted.bodiesBytes)],
    ['conditions of a filter', count(MAX_CONDITIONS)],
    ['values of an `in` or `not_in`', count(MAX_VALUES)],
    ['characters of the name of a field', count(FIELD_CHARACTERS)],
    ['characters of `search`', 'none of its own'],
    ['characters of `match`', count(MAX_MATCH_CHARACTERS)],
    ['characters of a pattern', count(MAX_PATTERN_LENGTH)],
    ['steps of a pattern', count(MAX_PATTERN_SIZE)],
    ['steps of all patterns of a query', count(MAX_PATTERNS_SIZE)],
  ],
  Records: [
    ['a line', bytes(MAX_LINE_BYTES)],
    ['levels of a record', count(MAX_DEPTH)],
    ['id, project and message of a record', 'none of their own'],
    ['names in `--time-field` and `--message-field`', `${MAX_NAMES}, each of ${MAX_NAME_BYTES} bytes`],
    ['body of a request, compressed or decompressed', bytes(LOGS_LIMITS.bodyBytes)],
    ['records of a request', count(MAX_RECORDS)],
    ['all bodies at once', bytes(LOGS_LIMITS.bodiesBytes)],
    ['pace of a body', `${bytes(LOGS_LIMITS.minBytesPerS)} per second over ${seconds(LOGS_LIMITS.rateWindowMs)}`],
    ['time of a body', seconds(LOGS_LIMITS.maxBodyMs)],
    ['time to store a body', seconds(LOGS_LIMITS.takeMs)],
    ['rejected records that a response lists', count(MAX_LISTED_REJECTS)],
    ['records of an OTLP request', count(TRANSLATOR_LIMITS.records)],
    ['lines of an OTLP request', bytes(TRANSLATOR_LIMITS.linesBytes)],
    ['levels of a value in an OTLP request', count(MAX_NESTING)],
    ['a batch', `${count(BATCH_ROWS)} rows, ${bytes(BATCH_BYTES)}`],
    ['a batch of a source of your own', `${count(OWN_BATCH_ROWS)} rows, ${bytes(OWN_BATCH_BYTES)}`],
    ['sources of your own', count(MAX_OWN_SOURCES)],
    ['sources that a token bound to projects makes, with `*`', count(MAX_TOKEN_SOURCES)],
    ['name of a source of your own', `${count(MAX_SOURCE_NAME_CHARACTERS)} characters`],
    ['rules of a [file of masks](masking.md), of these patterns', `${MAX_MASKS}, ${MAX_PATTERNS}`],
    ['keys of a path of such a rule', count(MAX_MASK_KEYS)],
    ['a file of masks', bytes(constantIn(TOML_FILE, 'MAX_BYTES'))],
    ['`rejects.ndjson`', `${bytes(REJECTS_FILE_BYTES)}, and as much in the file before`],
  ],
  Lines: [
    ['a line', bytes(MAX_LINE_BYTES)],
    ['levels of a line', count(MAX_DEPTH)],
    ['time that a line may come late while the input is followed', LINES_SETTINGS.late.default],
  ],
  'Live tails': [
    ['open tails', count(TAIL_LIMITS.tails)],
    ['stored records that a new tail gets', count(TAIL_LIMITS.firstRows)],
    [
      'missed records that a tail gets again',
      `${count(TAIL_LIMITS.missedRows)}, or ${bytes(TAIL_LIMITS.caughtUpBytes)}`,
    ],
    ['buffer of the tails of a project', bytes(TAIL_LIMITS.backlogBytes)],
    ['buffers of all tails', bytes(TAIL_LIMITS.backlogsBytes)],
    [
      'records of a project that are sent',
      `${bytes(TAIL_LIMITS.receivedBytesPerS)} per second, in a burst ${bytes(TAIL_LIMITS.receivedBurstBytes)}`,
    ],
    ['records that are sent to all tails', `${bytes(TAIL_LIMITS.sentBytesPerS)} per second`],
  ],
  Subscriptions: [
    ['different queries that are followed', count(SUBSCRIPTION_LIMITS.subscribedQueries)],
    ['subscribers', count(SUBSCRIPTION_LIMITS.subscribers)],
    ['last answers of all queries', bytes(SUBSCRIPTION_LIMITS.resultsBytes)],
    [
      'changes that a query keeps for clients that reconnect',
      `${bytes(SUBSCRIPTION_LIMITS.changesBytes)}, or the bytes of the answer`,
    ],
    ['time for which they are kept without subscribers', seconds(SUBSCRIPTION_LIMITS.lingerMs)],
    ['least time between two evaluations of a grouping', `${SUBSCRIPTION_LIMITS.groupsPauseMs} ms`],
    ['least time between two evaluations of rows', seconds(SUBSCRIPTION_LIMITS.rowsPauseMs)],
    ['time of all evaluations', 'a quarter of a core'],
    ['failures in a row for lack of resources', count(SUBSCRIPTION_LIMITS.failures)],
    ['events that are sent to all subscribers', `${bytes(SUBSCRIPTION_LIMITS.sentBytesPerS)} per second`],
    ['time of a stream', `${SUBSCRIPTION_LIMITS.streamMs / 3_600_000} hours`],
  ],
  'Connections and tokens': [
    ['connections', count(SERVER_LIMITS.connections)],
    ['time of the headers', seconds(SERVER_LIMITS.headersMs)],
    ['time without a request', seconds(SERVER_LIMITS.keepAliveMs)],
    ['time in which a client reads nothing of a response', seconds(SERVER_LIMITS.stalledMs)],
    ['wrong tokens of an address without delay', `${WRONG_TOKEN_LIMITS.freeAMinute} per minute`],
    ['delay of each further refusal', seconds(WRONG_TOKEN_LIMITS.delayMs)],
    ['delayed refusals at once', count(WRONG_TOKEN_LIMITS.waiting)],
    ['addresses with wrong tokens that are remembered', count(WRONG_TOKEN_LIMITS.networks)],
    ['tokens in a file', count(MAX_TOKENS)],
    ['file of tokens', bytes(MAX_FILE_BYTES)],
    ['projects of a token', count(MAX_TOKEN_PROJECTS)],
    ['characters of the name of a token', mostCharacters(tokenName)],
    ['characters of a project in a setting', mostCharacters(projectName)],
  ],
  'Memory and disk': [
    ['smallest useful memory limit', bytes(MIN_LIMIT_BYTES)],
    ['rows in memory, with the caches of queries', ofLimit(ROWS_SHARE)],
    ['cached answers', `${count(HTTP_LIMITS.cacheEntries)}, ${bytes(HTTP_LIMITS.cacheBytes)}`],
    ['share of the cached answers', ofLimit(constantIn(SHARES, 'CACHE_SHARE'))],
    ['a cached answer', bytes(HTTP_LIMITS.cacheEntryBytes)],
    ['partial results of sealed rows', bytes(constantIn(CACHES, 'PARTIAL_CACHE_BYTES'))],
    ['rows of earlier answers', bytes(constantIn(CACHES, 'ROW_CACHE_BYTES'))],
    ['an open head', `${count(SEAL_ROWS)} rows, ${bytes(SEAL_BYTES)}`],
    ['columns of fields of the metadata in a segment', count(constantIn(PATH_COLUMNS, 'MAX_COLUMNS'))],
    ['values of such a column', `${MAX_VALUES_OF_PATH} values, each of ${count(MAX_VALUE_BYTES)} bytes`],
    ['projects of a retention file', count(MAX_PROJECTS)],
    ['tiers, and sources, of a retention file', count(MAX_TIERS)],
    ['a retention file', bytes(MAX_RETENTION_FILE_BYTES)],
    ['former rules for rows that are kept', count(MAX_FORMER_RULES)],
    ['former times of projects that are kept', count(MAX_FORMER_TIMES)],
    ['age of rows', `${SERVE_SETTINGS.retentionDays.default} days, or as set up to ${count(MAX_DAYS)}`],
    [
      'files of all [views](views.md#what-is-kept)',
      `${bytes(VIEW_BYTES)}, or as set; with \`--in-memory\` at most ` +
        `1/${1 / (ROWS_SHARE * VIEWS_SHARE)} of the memory limit`,
    ],
    ['the share of a view', 'an equal part of that for each view and old version'],
    [
      'groups of a project in a view',
      `${count(BUCKET_GROUPS)} in a bucket, and 1/${1 / PROJECT_SHARE} of the share of the view`,
    ],
    ['rows of views that were read before', bytes(DAY_CACHE_BYTES)],
    ['rows on disk', 'no limit, or as set'],
  ],
  'Endpoints of your own': [
    ['files in the directory', count(MAX_FILES)],
    ['endpoints', count(MAX_ENDPOINTS)],
    ['views', count(MAX_VIEWS)],
    [
      'time that a [view](views.md) keeps its buckets',
      `${MIN_KEEP_US / HOUR_US} to ${count(MAX_KEEP_US / HOUR_US)} hours`,
    ],
    ['time that buckets of a minute are kept', `${MAX_MINUTE_KEEP_US / DAY_US} days`],
    ['a `.sql` file', bytes(MAX_SQL_FILE_BYTES)],
    ['parameters of an endpoint', count(MAX_PARAMETERS)],
    ['characters of the name', count(MAX_ENDPOINT_NAME_CHARACTERS)],
    ['characters of the summary', count(MAX_SUMMARY_CHARACTERS)],
    ['age of a cached answer', `${count(MAX_TTL_S)} s`],
  ],
  Deletions: [
    ['deletions that are not erased yet', count(DELETION_LIMITS.open)],
    ['erased deletions that are kept', count(DELETION_LIMITS.kept)],
    ['deletions of a list', count(DELETION_LIMITS.listed)],
    ['counts of `dry_run` at once', count(COUNTING.queriesAtOnce)],
    ['time of such a count', seconds(COUNTING.queryMs)],
  ],
  Alerts: [
    ['rules', count(MAX_FILES)],
    ['groups of a rule over ClickHouse', count(GROUPING_LIMITS.groups)],
    ['columns of a rule', count(MAX_RULE_COLUMNS)],
    ['active alerts of a rule', count(ALERT_LIMITS.ofRule)],
    ['active alerts of a rule in a project', count(ALERT_LIMITS.ofProject)],
    ['characters of a label', count(MAX_LABEL_CHARACTERS)],
    ['time of an evaluation', seconds(HTTP_LIMITS.queryMs)],
    ['alerts of an answer of `/api/alerting/alerts`', count(MAX_LISTED_ALERTS)],
    ['time of a test of a rule', seconds(RULE_TEST_MS)],
    ['instants of a test by groups of pieces of time', count(BACKTEST_LIMITS.buckets)],
    ['instants of a test by a query each', count(BACKTEST_LIMITS.steps)],
    ['transitions of a test', `${count(TRANSITION_LIMITS.transitions)}, or ${bytes(TRANSITION_LIMITS.bytes)}`],
    ['receivers', count(MAX_RECEIVERS)],
    ['alerts of a request to a webhook', `${count(MAX_REQUEST_ALERTS)}, or ${bytes(MAX_REQUEST_BYTES)}`],
    ['alerts of a message to Slack', `${count(MAX_MESSAGE_ALERTS)}, or ${count(MAX_MESSAGE_CHARACTERS)} characters`],
    ['time of a request to a receiver', seconds(SEND_TIMEOUT_MS)],
    ['bytes of an answer of a receiver that are read', bytes(MAX_ANSWER_BYTES)],
    ['notifications that wait for a receiver', `${count(QUEUE_LIMITS.notifications)}, or ${bytes(QUEUE_LIMITS.bytes)}`],
  ],
  ClickHouse: [
    ['rows that the server has not confirmed', bytes(UNCONFIRMED_BYTES)],
    [
      'an insert',
      `${count(BATCH_GROUP_LIMITS.rows)} rows, ${bytes(BATCH_GROUP_LIMITS.bytes)}, ${BATCH_GROUP_LIMITS.ageMs} ms`,
    ],
    ['rows that are read at once', `${count(PART_ROWS.hot)}, or ${count(PART_ROWS.cold)} with metadata or messages`],
    ['rows of a poll that a tail gets', count(POLL_LIMITS.rows)],
    ['rows of a poll to which a filter is applied', count(POLL_LIMITS.examinedRows)],
  ],
}
