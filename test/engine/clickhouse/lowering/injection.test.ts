import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compilePattern } from '../../../../src/base/pattern/pattern.js'
import { ENDPOINTS } from '../../../../src/endpoints/index.js'
import { readStages } from '../../../../src/engine/clickhouse/query/stage-rows.js'
import type { Server } from '../../../../src/engine/clickhouse/server/clickhouse-server.js'
import { cutPlan } from '../../../../src/engine/execute/run/cut-plan.js'
import { runs } from '../../../support/runs.js'

const RUNS = runs(20_000)
const NOW_US = Date.UTC(2026, 10, 20) * 1000
const LOCATION = { database: 'logweir' }

/** Text that has escaped from SQL literals before: quotes, backslashes, comments, NUL, and lookalikes. */
const arbitraryText = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        "'",
        '"',
        '`',
        '\\',
        '\0',
        '--',
        '/*',
        '*/',
        ';',
        ')',
        '(',
        '\n',
        '\u2019',
        '\uff07',
        '\ud83d\ude00',
        'unhex',
        ' OR 1=1 ',
        '{x:String}',
        '%27',
        '\\x27',
        '?',
        '$1',
        '@',
        '\u202e',
      ),
      { minLength: 1, maxLength: 12, size: 'max' },
    )
    .map((pieces) => pieces.join('')),
)

/** Returns the statements of an endpoint with the given parameters, to a server without rows. */
async function statements(endpoint: string, params: Record<string, string>): Promise<string[]> {
  const { call } = ENDPOINTS.find(({ name }) => name === endpoint)!
  const sent: string[] = []
  const server: Server = {
    async select(sql) {
      sent.push(sql)
      return []
    },
    async selectNative(sql) {
      sent.push(sql)
      return Buffer.alloc(0)
    },
    insert: async () => {},
    command: async () => {},
    close: async () => {},
  }
  const context = { server, location: LOCATION, serverVersion: async () => '18.16.1', onClose() {} }
  await readStages(cutPlan(call(new URLSearchParams(params)).plan(NOW_US))!, context)
  expect(sent.length).toBeGreaterThan(0)
  return sent
}

/** Removes the texts, which are runs of hex digits, from a statement. */
const shapeOnly = (sql: string) => sql.replace(/unhex\('[0-9a-f]*'\)/g, 'TEXT')

it('no project, function or pattern changes the shape of a statement', async () => {
  const shapesOf = async (endpoint: string, ...samples: Record<string, string>[]) => {
    const all = await Promise.all(samples.map((params) => statements(endpoint, params)))
    return new Set(all.flat().map(shapeOnly))
  }
  const logs = await shapesOf('logs.all', { project: 'a' })
  const stats = await shapesOf('functions.invocation-stats', { project: 'a', function_id: 'b' })
  // A pattern that is a literal, a pattern that contains a literal, and a pattern without a literal.
  const counts = await shapesOf(
    'usage.api-counts',
    ...['a', 'ab+', '[ab]'].map((project) => ({ project, interval: 'daily' })),
  )
  let patterns = 0
  async function expectShapes(shapes: ReadonlySet<string>, endpoint: string, params: Record<string, string>) {
    for (const sql of await statements(endpoint, params)) expect(shapes).toContain(shapeOnly(sql))
  }
  await fc.assert(
    fc.asyncProperty(arbitraryText, arbitraryText, async (one, other) => {
      await expectShapes(logs, 'logs.all', { project: one })
      await expectShapes(stats, 'functions.invocation-stats', { project: one, function_id: other })
      if (!isPattern(one)) return
      patterns++
      await expectShapes(counts, 'usage.api-counts', { project: one, interval: 'daily' })
    }),
    { numRuns: RUNS },
  )
  expect(patterns).toBeGreaterThan(RUNS / 10)
}, 120_000)

function isPattern(text: string): boolean {
  try {
    compilePattern(text)
    return true
  } catch {
    return false
  }
}
