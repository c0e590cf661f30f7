import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Served, serve, TOKEN } from '../program/support/program.js'
import {
  CHROMIUM,
  type Legend,
  launchBrowser,
  legends,
  openPage,
  paintedColors,
  settled,
  signIn,
  WITHOUT,
} from './browser.js'

const MANY = 100_000
const HASH = '/#project=many&view=charts&range=5min'
const [COUNTS, TIMES] = ['counts', 'times'].map((name) => `[data-endpoint="own.${name}"]`) as [string, string]

/** User endpoints, which may have any number of buckets: the first for bars, the second for lines. */
const MODULE = `
import { count, endpoint, max, mean, quantile, scan, sql, text } from 'logweir/endpoint'

const own = (digit, name, unit, aggregates) =>
  endpoint({
    id: '5b1f6a3e-0c1d-4a52-9a53-3d2c0f7e9b0' + digit,
    name,
    maxRows: 10_000,
    cache: 'disabled',
    params: { project: text('the project') },
    query: sql\`select 1\`,
    plan: () =>
      scan('function_edge_logs', { fromUs: -Infinity, throughUs: Infinity })
        .truncate('timestamp', unit)
        .group('timestamp')
        .aggregate(aggregates)
        .orderBy('timestamp')
        .limit(10_000),
  })

const time = 'execution_time_ms'
export const counts = own(1, 'own.counts', 'minute', { requests: count() })
export const times = own(2, 'own.times', 'second', { average: mean(time), p95: quantile(time, 95), longest: max(time) })
`

interface Row {
  [name: string]: string | number | null
}

/** Returns `count` rows that end now, without every tenth row. The row in the middle is the highest. */
function rowsOf(count: number, bucketS: number, rowAt: (i: number, seconds: number, isPeak: boolean) => Row): Row[] {
  const last = Math.floor(Date.now() / 1_000 / bucketS)
  return Array.from({ length: count }, (_, i) => i)
    .filter((i) => i % 10 !== 7)
    .map((i) => rowAt(i, (last - count + 1 + i) * bucketS, i === count / 2))
}

const countsRows = (count: number) =>
  rowsOf(count, 60, (i, seconds, isPeak) => ({
    timestamp: seconds * 1e6,
    requests: isPeak ? 4_321 : (i * 7_919) % 1_000,
  }))

const timesRows = (count: number) =>
  rowsOf(count, 1, (i, seconds, isPeak) => ({
    timestamp: seconds * 1e6,
    average: isPeak ? null : (i * 7_919) % 100,
    p95: isPeak ? null : (i * 7_919) % 300,
    longest: i === count / 2 + 1 ? 1_250 : (i * 7_919) % 900,
  }))

const number = (value: number) => value.toLocaleString('en')
const sum = (rows: readonly Row[], name: string) => rows.reduce((all, row) => all + (row[name] as number), 0)

/** Moves the pointer to the middle of bucket `i` of `count` in a chart, and returns the pointer's position. */
async function pointAt(page: Page, chart: string, i: number, count: number): Promise<{ x: number; y: number }> {
  const box = (await page.locator(`${chart} .u-over`).boundingBox())!
  const place = { x: box.x + ((i + 0.5) / count) * box.width, y: box.y + box.height / 2 }
  await page.mouse.move(place.x, place.y)
  return place
}

/** The start of a row's bucket in the format of the legend. */
const minuteOf = ({ timestamp }: Row) =>
  new Date((timestamp as number) / 1_000).toISOString().slice(0, 16).replace('T', ' ')
const nodesOf = (page: Page) => page.evaluate(() => document.querySelectorAll('*').length)

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('the page over 100,000 buckets', withBrowser)

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
  })
  afterAll(async () => {
    await browser?.close()
    await kill?.()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Opens the page with answers of the given rows in place of the service's answers. `answer` replaces the rows. */
  async function openOver(rows: { counts: Row[]; times: Row[] }) {
    const answer = async (page: Page, next: typeof rows) => {
      await page.unrouteAll()
      await page.route('**/query/own.counts?*', (route) => route.fulfill({ json: { result: next.counts } }))
      await page.route('**/query/own.times?*', (route) => route.fulfill({ json: { result: next.times } }))
    }
    const { page, faults } = await openPage(browser, service.url + HASH, {}, (blank) => answer(blank, rows))
    await signIn(page, TOKEN)
    await page.locator(TIMES).waitFor()
    await settled(page)
    return { page, faults, answer: (next: typeof rows) => answer(page, next) }
  }

  test('draws them, sums them up, and tells the highest of those that share a pixel', async () => {
    const [counts, times] = [countsRows(MANY), timesRows(MANY)]
    const { page, faults } = await openOver({ counts, times })
    const total = number(sum(counts, 'requests'))
    expect(await legends(page, COUNTS)).toMatchObject([{ values: [total], when: `total ${total}` }])
    expect(await legends(page, TIMES)).toMatchObject([{ values: ['', '', ''], when: '' }])
    expect(await paintedColors(page, COUNTS)).toBeGreaterThanOrEqual(1)
    expect(await paintedColors(page, TIMES)).toBeGreaterThanOrEqual(2)

    const peak = counts.find((row) => row.requests === 4_321)!
    await pointAt(page, `${COUNTS} .chart`, MANY / 2, MANY)
    const [legend] = await legends(page, COUNTS)
    expect(legend!.values).toEqual(['4,321'])
    expect(legend!.when).toBe(minuteOf(peak))

    await pointAt(page, `${TIMES} .chart`, MANY / 2, MANY)
    const [lines] = await legends(page, TIMES)
    expect(lines!.values[2]).toBe('1,250')
    expect(lines!.when).toMatch(/^highest, .* to .*$/)
    expect(faults).toEqual([])
  })

  test('shows a part of them, down to single buckets, and all of them again', async () => {
    const counts = countsRows(MANY)
    const { page, faults } = await openOver({ counts, times: timesRows(10) })
    const peakAt = counts.findIndex((row) => row.requests === 4_321)
    const { x, y } = await pointAt(page, `${COUNTS} .chart`, MANY / 2, MANY)
    for (const by of [6, 40]) {
      await page.mouse.move(x - by, y)
      await page.mouse.down()
      await page.mouse.move(x + by, y, { steps: 3 })
      await page.mouse.up()
    }
    const seen = new Set<string>()
    for (let at = x - 60; at < x + 60; at += 7) {
      await page.mouse.move(at, y)
      const [{ values, when }] = (await legends(page, COUNTS)) as [Legend]
      const row = counts.find((one) => minuteOf(one) === when)
      expect(values[0]).toBe(number((row?.requests as number | undefined) ?? 0))
      if (row !== undefined) expect(Math.abs(counts.indexOf(row) - peakAt)).toBeLessThan(MANY / 20)
      seen.add(when)
    }
    expect(seen.size).toBeGreaterThan(10)
    await page.getByRole('button', { name: 'Whole window' }).click()
    await page.mouse.move(0, 0)
    expect((await legends(page, COUNTS))[0]!.when).toMatch(/^total [\d,]+$/)
    expect(faults).toEqual([])
  })

  test('shows no part that is shorter than a line', async () => {
    const { page, faults } = await openOver({ counts: countsRows(10), times: timesRows(10) })
    const { x, y } = await pointAt(page, `${TIMES} .chart`, 5, 10)
    for (let drag = 0; drag < 4; drag++) {
      await page.mouse.move(x, y)
      await page.mouse.down()
      await page.mouse.move(x + 6, y, { steps: 3 })
      await page.mouse.up()
    }
    await page.mouse.move(0, 0)
    const [{ when }] = (await legends(page, TIMES)) as [Legend]
    const [first, last] = when.split(' to ').map((time) => Date.parse(`${time}Z`)) as [number, number]
    expect(last - first).toBe(1_000)
    expect(faults).toEqual([])
  })

  test('holds no more of them in the page than of 1,000, and shows their values by pages', async () => {
    const { page, answer } = await openOver({ counts: countsRows(1_000), times: timesRows(1_000) })
    for (const panel of [COUNTS, TIMES]) await page.locator(`${panel} .values summary`).click()
    await page.locator(`${TIMES} tbody tr`).first().waitFor()
    const before = await nodesOf(page)
    const counts = countsRows(MANY)
    await answer({ counts, times: timesRows(MANY) })
    await page.click('#refresh')
    await page.locator(`${COUNTS} .pages`, { hasText: `of ${number(counts.length)}` }).waitFor()
    await settled(page)
    expect(await nodesOf(page)).toBe(before)
    await page.locator(`${COUNTS} .pages`).getByRole('button', { name: 'Later' }).click()
    expect(await page.locator(`${COUNTS} .pages span`).textContent()).toBe(`201 to 400 of ${number(counts.length)}`)
    expect(await page.locator(`${COUNTS} tbody td`).first().textContent()).toContain(minuteOf(counts[200]!))
  })
}
