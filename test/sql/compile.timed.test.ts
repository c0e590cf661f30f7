import { describe, expect, it } from 'vitest'
import { limited } from '../../src/plan/limited.js'
import { ofProject } from '../../src/plan/of-project.js'
import { schemaOf } from '../../src/plan/schema.js'
import { readSql } from '../../src/sql/read-sql.js'
import { COSTLY_TEXTS } from '../support/costly-sql.js'
import { cpuMs } from '../support/cpu-ms.js'
import { inTries } from '../support/tries.js'

/** A text is compiled or refused within this time (CONTRACT: limits of SQL). */
const MOST_MS = 100
const TRIES = 5

describe('a text that costs much', () => {
  for (const [name, text] of COSTLY_TEXTS) {
    it(`is compiled or refused at once: ${name}`, async () => {
      const isGood = (ms: number) => ms <= MOST_MS
      expect(await inTries(TRIES, async () => compileMs(text), isGood)).toSatisfy(isGood)
    })
  }
})

const compileMs = (text: string): number =>
  cpuMs(() => {
    try {
      schemaOf(limited(ofProject(readSql(text).plan({}, 0), 'a'), 1_000))
    } catch {
      // The text was refused.
    }
  })
