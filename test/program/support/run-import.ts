import { expect } from 'vitest'
import { DAY_US, GIB } from '../../../src/base/units.js'
import type { SourceName } from '../../../src/common/sources.js'
import { openDataDirectory } from '../../../src/engine/disk/directory/open.js'
import { Rows, scan } from '../../../src/plan/builder.js'
import { RawJson } from '../../../src/plan/values/values.js'
import { openEngine } from '../../support/engine.js'
import type { Postgres } from './postgres.js'
import { run } from './program.js'

/** Empty environment variables of PostgreSQL's clients, so that variables of the caller do not change a test. */
export const NO_POSTGRES_VARIABLES = { PGPASSWORD: '', PGUSER: '', PGHOST: '', PGPORT: '', PGDATABASE: '' }

/** Returns the arguments of an import. */
export const importArgs = (url: string, dataDir: string, ...more: readonly string[]): string[] => [
  ...['import', '--from', 'logflare-postgres', url, '--data-dir', dataDir],
  ...more,
]

/** Imports into a directory, and returns the lines of the output. Expects that the import succeeds. */
export async function importInto(dataDir: string, postgres: Postgres, ...more: readonly string[]) {
  const { code, stdout, stderr } = await run(importArgs(postgres.url(), dataDir, ...more))
  expect([code, stderr.replaceAll(/^logweir: .* is skipped: .*\n/gm, '')]).toEqual([0, ''])
  return { lines: stdout.toString().split('\n').slice(0, -1), stderr }
}

/** Returns some columns of every row of a source in a data directory that no process has. JSON is returned as text. */
export async function storedRows(
  dataDir: string,
  source: SourceName,
  columns: readonly [string, ...string[]],
): Promise<unknown[][]> {
  const engine = openEngine({
    disk: await openDataDirectory(dataDir),
    rowsLimitBytes: GIB,
    retentionUs: Number.POSITIVE_INFINITY,
  })
  await engine.recover()
  const textOfJson = (value: unknown) => (value instanceof RawJson ? value.text : value)
  const rows: unknown[][] = []
  // A query holds at most 128 MiB of rows, and most rows of the tests are of the last days.
  const startUs = Date.now() * 1000 - 4 * DAY_US
  for (let fromUs = 0, throughUs = startUs; fromUs < startUs + 6 * DAY_US; ) {
    const plan = Rows.planOf(scan(source, { fromUs, throughUs }).select(...columns))
    for await (const row of await engine.run(plan)) rows.push(columns.map((name) => textOfJson(row[name])))
    fromUs = throughUs + 1
    throughUs += DAY_US / 4
  }
  await engine.close()
  return rows
}
