import { describe, expect, it } from 'vitest'
import { readDelete } from '../src/client/delete.js'
import { readQuery } from '../src/client/run-query.js'
import { readTail } from '../src/client/tail.js'
import { readUsage } from '../src/client/usage/run-usage.js'
import { readWatch } from '../src/client/watch.js'
import { readExportConfig, readSchemaConfig } from '../src/config/clickhouse-config.js'
import {
  DELETE_SETTINGS,
  HEALTH_SETTINGS,
  QUERY_SETTINGS,
  TAIL_SETTINGS,
  USAGE_SETTINGS,
  WATCH_SETTINGS,
} from '../src/config/client-settings.js'
import {
  EXPORT_SETTINGS,
  IMPORT_SETTINGS,
  SCHEMA_SETTINGS,
  TOKEN_LIST_SETTINGS,
  TOKEN_PLACE_SETTINGS,
  TOKEN_SETTINGS,
} from '../src/config/directory-settings.js'
import { readHealthConfig } from '../src/config/health-config.js'
import { readImportConfig } from '../src/config/import-config.js'
import { readEffectiveSettings, readServeConfig } from '../src/config/serve-config.js'
import { SERVE_SETTINGS } from '../src/config/serve-settings.js'
import type { Settings } from '../src/config/setting.js'
import { readTokenCreateConfig, readTokenListConfig, readTokenRevokeConfig } from '../src/config/token-config.js'
import { variablesOf } from './support/variables.js'

type Read = (environment: Record<string, string>) => unknown

const URL_FLAG = ['--clickhouse-url', 'http://127.0.0.1:8123']
const IMPORT_ARGS = ['--from', 'logflare-postgres', 'postgresql://127.0.0.1/_supabase']
const unheard = () => {}

/** Each command that reads variables: the settings, and the function that reads the settings. */
const COMMANDS: [name: string, settings: Settings, read: Read][] = [
  ['serve', SERVE_SETTINGS, (environment) => readServeConfig([], environment)],
  ['serve --engine clickhouse', SERVE_SETTINGS, (all) => readServeConfig(['--engine', 'clickhouse', ...URL_FLAG], all)],
  ['config', SERVE_SETTINGS, (environment) => readEffectiveSettings([], environment)],
  ['health', HEALTH_SETTINGS, (environment) => readHealthConfig([], environment)],
  ['query', QUERY_SETTINGS, (environment) => readQuery([], environment, unheard)],
  ['tail', TAIL_SETTINGS, (environment) => readTail(['--project', 'a'], environment, unheard)],
  ['usage', USAGE_SETTINGS, (environment) => readUsage([], environment, unheard)],
  ['watch', WATCH_SETTINGS, (environment) => readWatch(['logs.all'], environment, unheard)],
  ['delete', DELETE_SETTINGS, (environment) => readDelete(['--project', 'a'], environment, unheard)],
  ['schema clickhouse', SCHEMA_SETTINGS, (environment) => readSchemaConfig([], environment)],
  ['export', EXPORT_SETTINGS, (environment) => readExportConfig(['--to', 'clickhouse', ...URL_FLAG], environment)],
  ['import', IMPORT_SETTINGS, (environment) => readImportConfig(IMPORT_ARGS, environment)],
  ['token create', TOKEN_SETTINGS, (environment) => readTokenCreateConfig([], environment)],
  ['token list', TOKEN_LIST_SETTINGS, (environment) => readTokenListConfig([], environment)],
  ['token revoke', TOKEN_PLACE_SETTINGS, (environment) => readTokenRevokeConfig(['a'], environment)],
]

describe.each(COMMANDS)('an empty variable of %s', (_, settings, read) => {
  it.each(variablesOf(settings))('counts as absent: %s', (variable) => {
    expect(read({ [variable]: '' })).toEqual(read({}))
  })

  it('counts as absent beside all others that are empty', () => {
    const all = Object.fromEntries(variablesOf(settings).map((variable) => [variable, '']))
    expect(read(all)).toEqual(read({}))
  })
})

describe('the variables that Kubernetes sets for a Service named logweir', () => {
  /** As with `enableServiceLinks`, for a Service with a port of each protocol. The links of Docker look the same. */
  const injected = (protocol: string, address: string) => ({
    LOGWEIR_SERVICE_HOST: address,
    LOGWEIR_SERVICE_PORT: '4000',
    LOGWEIR_SERVICE_PORT_HTTP: '4000',
    LOGWEIR_PORT: `${protocol}://${address}:4000`,
    [`LOGWEIR_PORT_4000_${protocol.toUpperCase()}`]: `${protocol}://${address}:4000`,
    [`LOGWEIR_PORT_4000_${protocol.toUpperCase()}_PROTO`]: protocol,
    [`LOGWEIR_PORT_4000_${protocol.toUpperCase()}_PORT`]: '4000',
    [`LOGWEIR_PORT_4000_${protocol.toUpperCase()}_ADDR`]: address,
  })

  it.each(COMMANDS)('change nothing for %s', (_, __, read) => {
    for (const protocol of ['tcp', 'udp', 'sctp']) {
      for (const address of ['10.96.12.7', 'fd00::7', '[fd00::7]']) {
        expect(read(injected(protocol, address))).toEqual(read({}))
      }
    }
  })

  it('do not hide the port of a file or a flag', () => {
    expect(readServeConfig(['--port', '1'], injected('tcp', '10.96.12.7')).port).toBe(1)
  })

  it.each(['http://10.0.0.1:4000', 'tcp://', '4000/tcp', 'tcp:4000'])('are not: LOGWEIR_PORT=%s', (text) => {
    expect(() => readServeConfig([], { LOGWEIR_PORT: text })).toThrow('is not an integer from 0 to 65535')
  })

  it('are no address of ClickHouse', () => {
    expect(() => readServeConfig([], { LOGWEIR_CLICKHOUSE_URL: 'tcp://10.0.0.1:9000' })).toThrow('is not the URL')
  })
})
