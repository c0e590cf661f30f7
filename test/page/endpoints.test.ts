import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Served, serve, TOKEN } from '../program/support/program.js'
import { seriousFindings } from './axe.js'
import {
  CHROMIUM,
  launchBrowser,
  legends,
  openPage,
  paintedColors,
  settled,
  signIn,
  tableOf,
  WITHOUT,
} from './browser.js'
import { send } from './explore/page.js'

/** Endpoints with a key, with single times, and without a time. */
const MODULE = `
import { count, endpoint, equals, max, scan, sql, text } from 'logweir/endpoint'

const own = (digit, name, plan) =>
  endpoint({
    id: '5b1f6a3e-0c1d-4a52-9a53-3d2c0f7e9a0' + digit,
    name,
    maxRows: 1000,
    cache: 'disabled',
    params: { project: text('the project') },
    query: sql\`select 1\`,
    plan: ({ project }) =>
      plan(scan('function_edge_logs', { fromUs: -Infinity, throughUs: Infinity }).filter(equals('project', project))),
  })

export const byFunction = own(1, 'own.by-function', (rows) =>
  rows
    .truncate('timestamp', 'hour')
    .group('timestamp', 'function_id')
    .aggregate({ calls: count(), longest: max('execution_time_ms') })
    .orderBy('longest', 'desc')
    .limit(1000),
)
export const times = own(2, 'own.times', (rows) =>
  rows.select('timestamp', 'execution_time_ms').orderBy('execution_time_ms').limit(1000),
)
export const functions = own(3, 'own.functions', (rows) =>
  rows.group('function_id').aggregate({ calls: count() }).orderBy('calls').limit(1000),
)
`

const [PROJECT, SOURCE] = ['mine', 'function_edge_logs']
const START_MS = Date.UTC(2026, 10, 20, 10)
const [BY_FUNCTION, TIMES, FUNCTIONS] = ['by-function', 'times', 'functions'].map(
  (name) => `[data-endpoint="own.${name}"]`,
) as [string, string, string]

/**
 * Sends the calls of ten functions: `fn i` is called 10 - i times in the first hour and once in the fourth, `fn 0` also
 * in the second.
 */
async function sendCalls(service: Served, project: string): Promise<void> {
  const calls = Array.from({ length: 10 }, (_, i) =>
    [...Array(10 - i).keys(), 10_800 + i].map((seconds) => callOf(`fn ${i}`, seconds)),
  )
  await send(service, SOURCE, project, [...calls.flat(), callOf('fn 0', 3_600)])
}

const callOf = (function_id: string, seconds: number) => ({
  timestamp: new Date(START_MS + seconds * 1_000 + 1).toISOString(),
  event_message: 'called',
  metadata: { function_id, execution_time_ms: seconds + 0.5 },
})

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('the page with endpoints of your own', withBrowser)

function withBrowser(): void {
  let browser: Browser
  let service: Served
  let kill: () => Promise<void>
  const folder = mkdtempSync(join(tmpdir(), 'logweir-page-'))
  beforeAll(async () => {
    browser = await launchBrowser()
    writeFileSync(join(folder, 'own.mjs'), MODULE)
    service = await serve(['--endpoints', folder], {
      atEnd(given) {
        kill = given
      },
    })
    await sendCalls(service, PROJECT)
  })
  afterAll(async () => {
    await browser?.close()
    await kill?.()
    rmSync(folder, { recursive: true, force: true })
  })

  async function open(project = PROJECT, options: Parameters<typeof openPage>[2] = {}) {
    const hash = `/#project=${project}&view=charts&range=7day`
    const { page, faults } = await openPage(browser, service.url + hash, options)
    await signIn(page, TOKEN)
    await page.locator(FUNCTIONS).waitFor()
    await settled(page)
    return { page, faults }
  }

  test('draws times with numbers, a series per key, over a table of all rows', async () => {
    const { page, faults } = await open()
    const shown = Array.from({ length: 8 }, (_, i) => `fn ${i}`)
    expect(await page.locator(`${BY_FUNCTION} h3`).allTextContents()).toEqual([
      'calls by function_id',
      'longest by function_id',
    ])
    expect(await legends(page, BY_FUNCTION)).toEqual([
      {
        labels: [...shown, 'other (2)'],
        values: ['12', '10', '9', '8', '7', '6', '5', '4', '5'],
        note: '',
        when: 'total 66',
      },
      { labels: shown, values: Array(8).fill(''), note: '2 less frequent: only in the table', when: '' },
    ])
    // Nine series of bars. Axes and grid may add colours.
    expect(await paintedColors(page, BY_FUNCTION)).toBeGreaterThanOrEqual(9)

    const rows = await service.rows(`own.by-function?project=${PROJECT}`)
    expect(rows.length).toBe(21)
    expect(await tableOf(page, BY_FUNCTION)).toEqual(
      rows.map(({ timestamp, function_id, calls, longest }) => [
        new Date(timestamp / 1_000).toISOString().slice(0, 23).replace('T', ' '),
        function_id,
        String(calls),
        String(longest),
      ]),
    )
    expect(faults).toEqual([])
  })

  test('tells the values of a bucket, and draws single times in their order', async () => {
    const { page, faults } = await open()
    const bars = page.locator(`${BY_FUNCTION} .u-over`).first()
    const { width, height } = (await bars.boundingBox())!
    for (const [part, values, when] of [
      [0.6, Array(9).fill('0'), '2026-11-20 12:00'],
      [0.9, [...Array(8).fill('1'), '2'], '2026-11-20 13:00'],
    ] as const) {
      await bars.hover({ position: { x: part * width, y: height / 2 } })
      expect((await legends(page, BY_FUNCTION))[0]).toMatchObject({ values, when })
    }

    const line = page.locator(`${TIMES} .u-over`).first()
    const lineWidth = (await line.boundingBox())!.width
    for (const [x, value, when] of [
      // Several calls share a pixel at both ends.
      [1, /^\d\.5$/, /^2026-11-20 10:00:0\d\.001$/],
      [lineWidth / 3, /^3,601$/, /^2026-11-20 11:00:00\.001$/],
      [lineWidth - 1, /^10,8\d\d$/, /^2026-11-20 13:00:0\d\.001$/],
    ] as const) {
      await line.hover({ position: { x, y: 5 } })
      expect(await legends(page, TIMES)).toEqual([
        {
          labels: ['execution_time_ms'],
          values: [expect.stringMatching(value)],
          note: 'highest of rows with the same time',
          when: expect.stringMatching(when),
        },
      ])
    }
    expect(await page.locator(`${FUNCTIONS} .chart`).count()).toBe(0)
    expect(await page.locator(`${FUNCTIONS} tbody tr:visible`).count()).toBe(10)
    expect(faults).toEqual([])
  })

  test('keeps an open table when it refreshes, and draws new keys', async () => {
    const project = 'changing'
    await sendCalls(service, project)
    const { page } = await open(project)
    await tableOf(page, BY_FUNCTION)
    await send(
      service,
      SOURCE,
      project,
      Array.from({ length: 20 }, () => callOf('fn 9', 3_600)),
    )
    await page.keyboard.press('r')
    await page.locator(`${BY_FUNCTION} .window`, { hasText: '22 rows' }).waitFor()
    expect((await tableOf(page, BY_FUNCTION)).length).toBe(22)
    const [counts] = await legends(page, BY_FUNCTION)
    expect([counts!.labels[7], counts!.values[7]]).toEqual(['fn 9', '22'])
  })

  test('has no serious finding of accessibility', async () => {
    const { page } = await open()
    await tableOf(page, BY_FUNCTION)
    expect(await seriousFindings(page)).toEqual([])
  })

  test('fits a phone', async () => {
    const { page } = await open(PROJECT, { viewport: { width: 360, height: 740 } })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  })
}
