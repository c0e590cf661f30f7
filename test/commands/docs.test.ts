import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { FOLLOW_LIMITS } from '../../src/client/follow.js'
import { QUERY_SETTINGS } from '../../src/config/client-settings.js'

const text = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8')

it('docs/command-line.md names the formats and the limits', () => {
  const named = [...text.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`(\w+)`/g)].map(([, word]) => word),
  )
  expect(named).toEqual(QUERY_SETTINGS.format.type.words)
  expect(text).toContain(`nothing is heard for ${FOLLOW_LIMITS.silentMs / 1000} s`)
  expect(text).toContain(`pauses of up to ${FOLLOW_LIMITS.maxRetryMs / 1000} s`)
})
