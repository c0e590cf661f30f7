/** The settings of a service. */

import type { LogFormat } from '../base/log.js'
import { EXPECTED_NAMES, readFieldNames } from '../common/field-names.js'
import type { Settings } from './setting.js'
import { ownSources, sourceName } from './source-types.js'
import {
  bytes,
  hostName,
  httpUrl,
  identifier,
  integer,
  oneOf,
  onOff,
  projectName,
  text,
  timeoutUs,
  type ValueType,
} from './value-types.js'

const fieldNames: ValueType<string[]> = { placeholder: 'NAMES', expects: EXPECTED_NAMES, read: readFieldNames }

/** The most days of `--retention-days`. */
export const MAX_DAYS = 36_500

/** The setting that names the settings file, which all commands share. */
export const SETTINGS_FILE = {
  config: {
    type: text('FILE'),
    file: false,
    meaning: 'a settings file in TOML; each setting has the name of its flag',
  },
} satisfies Settings

/** How to reach an existing ClickHouse server or cluster. */
export const CLICKHOUSE_SETTINGS = {
  clickhouseUrl: {
    type: httpUrl("a ClickHouse server's HTTP interface", 'http://127.0.0.1:8123'),
    meaning: 'HTTP address of a ClickHouse server, or of any server of a cluster',
  },
  clickhouseCluster: { type: identifier('NAME'), meaning: "cluster, by its name in the servers' configuration" },
  clickhouseDatabase: { type: identifier('NAME'), default: 'logweir', meaning: 'database of the tables' },
  clickhouseUser: { type: text('NAME'), default: 'default', meaning: 'user of ClickHouse' },
  clickhousePassword: { type: text(''), flag: false, secret: true, meaning: 'password of that user; never a flag' },
} satisfies Settings

/** A token in a variable that the files of a self-hosted Supabase set. */
const SUPABASE_TOKEN = { type: text(''), flag: false, file: false, secret: true } as const

/** Settings of `logweir serve`. */
export const SERVE_SETTINGS = {
  ...SETTINGS_FILE,
  port: { type: integer('PORT', 0, 65_535), default: '4000', meaning: 'TCP port to listen on; 0: any free one' },
  host: { type: hostName, default: '127.0.0.1', meaning: 'address to listen on' },
  dataDir: { type: text('DIR'), default: './logweir-data', meaning: 'keep rows, rejects and the access token here' },
  inMemory: { type: onOff, meaning: 'write nothing to disk: rows are lost when the process ends' },
  sources: {
    type: ownSources,
    meaning: 'names of your own sources beside the nine, comma separated, such as nginx,app; *: any name',
  },
  otlpSource: {
    type: oneOf('ATTRIBUTE', 'logweir.source', 'service.name'),
    default: 'logweir.source',
    meaning: 'attribute of the resource that names the source of OTLP records without logweir.source',
  },
  source: { type: sourceName, meaning: 'source of records on standard input that name none' },
  project: { type: projectName, meaning: 'default project: of records and of queries that name none' },
  timeField: {
    type: fieldNames,
    meaning: 'fields of records on standard input that can hold the time, comma separated; default: timestamp',
  },
  messageField: {
    type: fieldNames,
    meaning: 'fields that can hold the message; the first one in a record is used; default: event_message,message',
  },
  memoryLimit: {
    type: bytes,
    meaning: 'memory limit in bytes, such as 512M or 2G; default: half of the available memory',
  },
  maxDiskBytes: { type: bytes, meaning: 'limit of the files of rows in bytes, such as 500G; default: no limit' },
  evict: {
    type: oneOf('WHAT', 'oldest', 'largest'),
    default: 'oldest',
    meaning: 'beyond --max-disk-bytes: oldest, the oldest rows; largest, those of the project that takes the most',
  },
  viewBytes: {
    type: bytes,
    default: '1G',
    meaning: 'limit of the files of all views in bytes, of which each view has an equal share',
  },
  retentionDays: { type: integer('DAYS', 1, MAX_DAYS), default: '90', meaning: 'rows older than this are deleted' },
  retentionFile: {
    type: text('FILE'),
    meaning: 'how long rows of projects and sources are kept, in TOML; reloaded when it changes',
  },
  mask: {
    type: text('FILE'),
    meaning: 'rules that mask secrets on arrival, in TOML; reloaded when it changes',
  },
  maskKeyFile: {
    type: text('FILE'),
    meaning: 'key of hashed values, made at the first start; default: mask.key in the data directory',
  },
  tokensFile: {
    type: text('FILE'),
    meaning: 'access tokens, hashed or one a line; default: tokens.json in the data directory',
  },
  accessTokens: { type: text(''), flag: false, secret: true, meaning: 'access tokens, comma separated; never a flag' },
  keepAlive: {
    type: timeoutUs,
    default: '95s',
    meaning: 'how long an idle connection is kept open; longer than proxies and shippers keep theirs',
  },
  logFormat: {
    type: oneOf<LogFormat>('FORMAT', 'text', 'json'),
    default: 'text',
    meaning: 'lines on stderr: text, on a terminal with times and in colour; json, an object a line',
  },
  endpoints: {
    type: text('DIR'),
    meaning: 'your own endpoints, .sql files and JavaScript modules, reloaded when they change',
  },
  alerts: {
    type: text('DIR'),
    meaning: 'alert rules, .sql files, whose queries run by themselves; reloaded when they change',
  },
  receivers: {
    type: text('FILE'),
    meaning: 'who is notified of alerts, in TOML: webhooks, Slack, Alertmanager; needs --alerts',
  },
  sql: {
    type: onOff,
    meaning: 'callers may send SQL as sql= of logs.all; it reads only rows of the project they name',
  },
  supabase: {
    type: onOff,
    meaning: 'stand in for the analytics service of a self-hosted Supabase; turns --sql on',
  },
  publicAccessToken: {
    ...SUPABASE_TOKEN,
    variableName: 'LOGFLARE_PUBLIC_ACCESS_TOKEN',
    meaning: 'with --supabase: access token that may only send records; never a flag',
  },
  privateAccessToken: {
    ...SUPABASE_TOKEN,
    variableName: 'LOGFLARE_PRIVATE_ACCESS_TOKEN',
    meaning: 'with --supabase: access token that may send records and query; never a flag',
  },
  engine: {
    type: oneOf('ENGINE', 'embedded', 'clickhouse'),
    default: 'embedded',
    meaning: 'where rows are stored and queried: embedded, in this process; clickhouse, on your own server',
  },
  ...CLICKHOUSE_SETTINGS,
} satisfies Settings

/** Settings of `logweir config`: the settings of serve, which the command prints, and the format. */
export const CONFIG_SETTINGS = {
  ...SERVE_SETTINGS,
  json: { type: onOff, variable: false, meaning: 'as JSON, for programs' },
} satisfies Settings
