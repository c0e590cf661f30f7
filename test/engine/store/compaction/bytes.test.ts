import { describe, expect, it } from 'vitest'
import { DAY_US } from '../../../../src/base/units.js'
import type { BuiltInSource } from '../../../../src/common/sources.js'
import { createColdTexts } from '../../../../src/engine/execute/open-batch/texts.js'
import { compactCold } from '../../../../src/engine/store/sealing/compact.js'
import { generate } from '../../../../src/generate/generate.js'
import { createModelFiles } from '../../../support/model-files.js'
import type { TestRecord } from '../../../support/records.js'
import { openPersistence } from '../persistence/open-persistence.js'
import { noYield } from '../support.js'

const ROWS = 24_000

/** Full records of one source and one day, as the generator writes them. */
function fullRecords(source: BuiltInSource): TestRecord[] {
  const options = {
    rows: ROWS,
    seed: 1,
    source,
    endUs: DAY_US,
    spanUs: DAY_US,
    slim: false,
    projects: 1000,
    badEvery: 0,
  }
  const lines = Buffer.concat([...generate(options)])
    .toString()
    .trimEnd()
    .split('\n')
  return lines.map((line) => {
    const { id, timestamp, project, event_message, metadata } = JSON.parse(line)
    const timestampUs = typeof timestamp === 'number' ? timestamp : 1000 * Date.parse(timestamp)
    const { project_ref = null } = metadata
    return {
      source,
      id,
      timestampUs,
      project: project ?? project_ref,
      event_message,
      metadata: JSON.stringify(metadata),
    }
  })
}

// The limits of test/program/durability/disk-bytes.slow.test.ts.
describe.each([
  ['edge_logs', 320, 273],
  ['function_edge_logs', 211, 183],
] as const)('a full row of %s on disk', (source, afterFlood, compacted) => {
  it(
    `takes at most ${afterFlood} bytes if it is sealed in a flood, ` + `and ${compacted} once it is compacted`,
    async () => {
      const { append, store, persistence, close } = await openPersistence(createModelFiles())
      await append(...fullRecords(source))
      await store.sealAll()
      const before = persistence.bytes() / ROWS
      await persistence.compactNext((cold) => compactCold(cold, createColdTexts(), () => true, noYield))
      const after = persistence.bytes() / ROWS
      console.log(`${source}: ${before.toFixed(1)} bytes a row, ${after.toFixed(1)} compacted`)
      expect(before).toBeLessThanOrEqual(afterFlood)
      expect(before).toBeGreaterThan(compacted)
      expect(after).toBeLessThanOrEqual(compacted)
      await close()
    },
  )
})
