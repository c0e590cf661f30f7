import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US, MINUTE_US } from '../../src/base/units.js'
import { MAX_PROJECTS, MAX_TIERS, readRetentionFile } from '../../src/retention/parse.js'
import { rowsTimeUs } from '../../src/retention/rules.js'

const directory = mkdtempSync(join(tmpdir(), 'logweir-retention-'))
const path = join(directory, 'retention.toml')
afterAll(() => rmSync(directory, { recursive: true }))

function read(text: string) {
  writeFileSync(path, text)
  return readRetentionFile(path, 90 * DAY_US)
}

function complaint(text: string): string {
  try {
    read(text)
  } catch (error) {
    return (error as Error).message.replace(path, 'FILE')
  }
  throw new Error('The file was accepted.')
}

describe('a retention file', () => {
  it('has a default, tiers, projects and sources', () => {
    const { rules, projects } = read(`
      default = "30d"
      views = "60d"
      [tiers]
      free = "12h"
      pro = { rows = "7d", views = "40d" }
      [projects]
      "a b" = "pro"
      c = "1m"
      d = { rows = "free", views = "50d" }
      [sources]
      auth_logs = { time = "90d", at_least = true }
      "cloudflare.logs.prod" = "2d"`)
    expect(rules.default).toEqual({ rowsUs: 30 * DAY_US, viewsUs: 60 * DAY_US })
    expect(Object.fromEntries(rules.tiers)).toEqual({
      free: { rowsUs: 12 * HOUR_US },
      pro: { rowsUs: 7 * DAY_US, viewsUs: 40 * DAY_US },
    })
    expect(Object.fromEntries(projects)).toEqual({
      'a b': { tier: 'pro' },
      c: { rowsUs: MINUTE_US },
      d: { tier: 'free', viewsUs: 50 * DAY_US },
    })
    expect(Object.fromEntries(rules.sources)).toEqual({
      auth_logs: { us: 90 * DAY_US, isLeast: true },
      edge_logs: { us: 2 * DAY_US, isLeast: false },
    })
    expect(rowsTimeUs(rules, projects.get('c'), 'auth_logs')).toBe(90 * DAY_US)
  })

  it('may be empty: all rows are kept as long as the service keeps rows', () => {
    expect(rowsTimeUs(read('').rules, undefined, 'edge_logs')).toBe(90 * DAY_US)
  })

  it.each([
    [
      'default = 90',
      'FILE line 1: default is not a time of at least 1m. Write "90d" or "12h"; units m, h, d; in quotes.',
    ],
    [
      'default = "30s"',
      'FILE line 1: default is not a time of at least 1m. Write "90d" or "12h"; units m, h, d; in quotes.',
    ],
    [
      '\ndefault = "91d"',
      'FILE line 2: default is longer than --retention-days. Raise --retention-days, or give at most "90d".',
    ],
    ['defualt = "1d"', 'FILE line 1: defualt is unknown. Did you mean default?'],
    ['tiers = "1d"', 'FILE line 1: tiers is not a section. Write [tiers] on a line by itself.'],
    ['[tiers]\n7d = "7d"', 'FILE line 2: [tiers] 7d starts with a digit, as times do. Give the tier another name.'],
    ['[tiers]\na = { row = "7d" }', 'FILE line 2: [tiers] a has the unknown member "row". Did you mean rows?'],
    ['[tiers]\na = 7', 'FILE line 2: [tiers] a is neither a time in quotes nor a table { rows = …, views = … }.'],
    [
      '[tiers]\nfree = "1d"\n[projects]\nfree = "fere"',
      'FILE line 4: [projects] free has the tier "fere", which is not in [tiers]. Did you mean free?',
    ],
    [
      '[projects]\na = "pro"',
      'FILE line 2: [projects] a has the tier "pro", which is not in [tiers]. Add it to [tiers].',
    ],
    ['[projects]\na.b = "1d"', 'FILE line 2: [projects] a has the unknown member "b". There are: rows, views.'],
    [
      '[projects]\n"x y" = "100d"',
      'FILE line 2: [projects] "x y" is longer than --retention-days. Raise --retention-days, or give at most "90d".',
    ],
    ['[sources]\n"Edge" = "1d"', 'FILE line 2: [sources] Edge cannot be the name of a source.'],
    [
      '[sources]\nedge_logs = { time = "1d", at_least = "yes" }',
      'FILE line 2: [sources] edge_logs has an at_least that is neither true nor false.',
    ],
    [
      '[sources]\nedge_logs = { at_least = true }',
      'FILE line 2: [sources] edge_logs is not a time of at least 1m. Write "90d" or "12h"; units m, h, d; in quotes.',
    ],
    ['[sources.edge_logs]\ntime = "400d"', expect.stringMatching(/^FILE.*\[sources\] edge_logs is longer than/)],
    ['default = "1d', expect.stringMatching(/^FILE line 1: not TOML: /)],
  ])('is refused with the place and the remedy: %j', (text, message) => {
    expect(complaint(text)).toEqual(message)
  })

  it('is refused with too many entries', () => {
    const tiers = Array.from({ length: MAX_TIERS + 1 }, (_, i) => `t${i} = "1d"`).join('\n')
    expect(complaint(`[tiers]\n${tiers}`)).toBe('FILE line 1: [tiers] has over 1,000 entries.')
  })

  it('names as many projects as it may', () => {
    const lines = Array.from({ length: MAX_PROJECTS }, (_, i) => `p${i} = "pro"`).join('\n')
    expect(read(`[tiers]\npro = "7d"\n[projects]\n${lines}`).projects.size).toBe(MAX_PROJECTS)
    expect(complaint(`[projects]\n${lines}\nmore = "1d"`)).toBe('FILE line 1: [projects] has over 200,000 entries.')
  })
})
