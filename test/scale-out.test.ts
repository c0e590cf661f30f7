import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { MIB } from '../src/base/units.js'
import { readExportConfig, readSchemaConfig } from '../src/config/clickhouse-config.js'
import { readServeConfig } from '../src/config/serve-config.js'
import { BATCH_GROUP_LIMITS } from '../src/engine/clickhouse/delivery/batch-groups.js'
import { printSchema, TTL_DAYS } from '../src/engine/clickhouse/schema/ddl.js'
import { GROUPING_LIMITS } from '../src/engine/engine.js'

const fileOf = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const text = fileOf('docs/scale-out.md')
const PROSE = text.replace(/```[\s\S]*?```/g, '')

/** The lines of all blocks of a language. */
const linesOf = (language: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].flatMap(([, block]) =>
    block!
      .trim()
      .split('\n')
      .map((line) => line.trim()),
  )

/** Returns the settings that a logweir command reads from flags. Throws if the command would refuse the flags. */
function read(command: string, args: readonly string[]): unknown {
  if (command === 'serve') return readServeConfig(args, {})
  if (command === 'schema') return readSchemaConfig(args.slice(1), {})
  if (command === 'export') return readExportConfig(args, {})
  throw new Error(`nobody checks this command: ${command}`)
}

describe('docs/scale-out.md', () => {
  it('shows commands that work as they stand, on the cluster of its configuration', () => {
    const commands = linesOf('sh').filter((line) => !line.startsWith('export '))
    expect(commands.length).toBe(5)
    for (const line of commands) {
      const [, command, rest] = /(?:^|\| )logweir (\w+) (.*)$/.exec(line)!
      expect(read(command!, rest!.split(' '))).toMatchObject({ clickhouse: { cluster: 'weir' } })
    }
    const [configuration] = /<remote_servers>[\s\S]*<\/remote_servers>/.exec(text)!
    expect(configuration).toMatch(/^<remote_servers>\s*<weir>/)
    expect(configuration.match(/<shard>/g)!.length).toBe(2)
  })

  it('names the code of an export that was made before', () => {
    expect(PROSE).toContain('`exported_before`')
    expect(fileOf('src/export/sealed-since.ts')).toContain("'exported_before'")
  })

  it('has the numbers of the code', () => {
    expect(PROSE).toContain(`more than ${GROUPING_LIMITS.groups.toLocaleString('en-US')} groups`)
    const { ageMs, rows, bytes } = BATCH_GROUP_LIMITS
    expect(PROSE).toContain(
      `once they are ${ageMs} ms old, ${rows.toLocaleString('en-US')}\nrows or ${bytes / MIB} MiB`,
    )
    expect(PROSE).toContain(`TTL of ${TTL_DAYS} days`)
    const [ttl] = /toDateTime\(intDiv\(timestamp, 1000000\)\) \+ INTERVAL \d+ DAY/.exec(text)!
    expect(printSchema({ database: 'd' }, { isModern: true })).toContain(ttl.replace(/\d+ DAY/, `${TTL_DAYS} DAY`))
    expect(printSchema({ database: 'd', cluster: 'c' }, { isModern: true })).toContain('sipHash64(project)')
  })

  it('is right in its arithmetic', () => {
    const bytesOfRow = (319 + 231) / 2
    const perDay = (1e6 * 86_400 * bytesOfRow) / 1e12
    const perServer = 60 * 0.7
    const parts = 25 * 4
    const shards = Math.ceil((perDay * 90) / perServer)
    const row = (step: string) => new RegExp(`\\| ${step} \\|.*\\| ([^|]*) \\|\n`).exec(text)![1]
    expect(row('bytes of a row on disk')).toBe(`${bytesOfRow}`)
    expect(row('disk a day')).toBe(`${perDay.toFixed(1)} TB`)
    expect(row('disk for 90 days')).toBe(`${((perDay * 90) / 1000).toFixed(1)} PB`)
    expect(row('days in 10 PB')).toBe(`${Math.floor(10_000 / perDay / 10) * 10}`)
    expect(row('shards by disk, 90 days')).toBe(`${shards}`)
    expect(row('shards by disk, 10 PB')).toBe(`${Math.ceil(10_000 / perServer)}`)
    expect(row('lines, MB/s')).toBe('1,640')
    expect(row('processes of logweir')).toBe(`${Math.round(1640 / 100 / (2 / 3))}`)
    expect(row('cores for inserts')).toBe(`${Math.round(1640 / 110)}`)
    expect(row('shards by inserts')).toBe(`${Math.ceil((15 * 4) / 16)}`)
    expect(row('network into logweir')).toBe(`${Math.round((1640 * 8) / 1000)} Gbit/s`)
    expect(text).toContain(`(25 × 4 = ${parts})`)
    expect(text).toContain(`(500,000 ÷ ${shards} ÷ ${parts} = ${Math.round(500_000 / shards / parts)})`)
  })
})
