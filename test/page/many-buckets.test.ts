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

interface Row {
  [name: string]: string | number | null
}

/** Returns `count` rows that end now, without every tenth; the one in the middle is the highest. */
function rowsOf(count: number, bucketS: number, rowAt: (i: number, seconds: number, isPeak: boolean) => Row): Row[] {
  const last = Math.floor(Date.now() / 1_000 / bucketS)
  return Array.from({ length: count }, (_, i) => i)
    .filter((i) => i % 10 !== 7)
    .map((i) => rowAt(i, (last - count + 1 + i) * bucketS, i === count / 2))
}

const countsRows = (count: number) =>
  rowsOf(count, 60, (i, seconds, isPeak) => ({
    timestamp: new Date(seconds * 1_000).toISOString().slice(0, 19),
    total_rest_requests: isPeak ? 4_321 : (i * 7_919) % 1_000,
    total_storage_requests: (i * 104_729) % 300,
    total_auth_requests: (i * 1_299_709) % 100,
    total_realtime_requests: (i * 15_485_863) % 50,
  }))

const statsRows = (count: number) =>
  rowsOf(count, 1, (i, seconds, isPeak) => ({
    timestamp: seconds * 1e6,
    min_execution_time: 1,
    max_execution_time: 2e6,
    avg_execution_time: isPeak ? null : (i * 7_919) % 100,
    p95_execution_time: isPeak ? null : (i * 7_919) % 300,
    p99_execution_time: i === count / 2 + 1 ? 1.25e6 : (i * 7_919) % 900,
    count: 300 + ((i * 104_729) % 300),
    error_count: isPeak ? 299 : (i * 1_299_709) % 20,
  }))

const number = (value: number) => value.toLocaleString('en')
const sum = (rows: readonly Row[], name: string) => rows.reduce((all, row) => all + (row[name] as number), 0)

/** Moves the pointer to the middle of bucket `i` of `count` in a chart, and returns its position. */
async function pointAt(page: Page, chart: string, i: number, count: number): Promise<{ x: number; y: number }> {
  const box = (await page.locator(`${chart} .u-over`).boundingBox())!
  const place = { x: box.x + ((i + 0.5) / count) * box.width, y: box.y + box.height / 2 }
  await page.mouse.move(place.x, place.y)
  return place
}

const nodesOf = (page: Page) => page.evaluate(() => document.querySelectorAll('*').length)

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('the page over 100,000 buckets', withBrowser)

function withBrowser(): void {
  let browser: Browser
  let service: Served
  let kill: () => Promise<void>
  beforeAll(async () => {
    browser = await launchBrowser()
    service = await serve([], {
      atEnd(given) {
        kill = given
      },
    })
  })
  afterAll(async () => {
    await browser?.close()
    await kill?.()
  })

  /** Opens the page with answers of these rows in place of the service's; `answer` replaces them. */
  async function openOver(rows: { counts: Row[]; stats: Row[] }) {
    const answer = async (page: Page, next: typeof rows) => {
      await page.unrouteAll()
      await page.route('**/query/usage.api-counts?*', (route) => route.fulfill({ json: { result: next.counts } }))
      await page.route('**/query/functions.invocation-stats?*', (route) =>
        route.fulfill({ json: { result: next.stats } }),
      )
    }
    const { page, faults } = await openPage(browser, service.url + HASH, {}, (blank) => answer(blank, rows))
    await signIn(page, TOKEN)
    await settled(page)
    return { page, faults, answer: (next: typeof rows) => answer(page, next) }
  }

  test('draws them, sums them up, and tells the highest of those that share a pixel', async () => {
    const [counts, stats] = [countsRows(MANY), statsRows(MANY)]
    const { page, faults } = await openOver({ counts, stats })
    const parts = ['rest', 'storage', 'auth', 'realtime'].map((part) => `total_${part}_requests`)
    expect(await legends(page, '#counts')).toMatchObject([
      { values: parts.map((name) => number(sum(counts, name))), when: 'total' },
    ])
    const errors = sum(stats, 'error_count')
    expect(await legends(page, '#invocations')).toMatchObject([
      { values: [errors, sum(stats, 'count') - errors].map(number), when: 'total' },
      { values: ['', '', ''], when: '' },
    ])
    expect(await paintedColors(page, '#counts')).toBeGreaterThanOrEqual(4)
    expect(await paintedColors(page, '#invocations')).toBeGreaterThanOrEqual(2)

    const peak = counts.find((row) => row.total_rest_requests === 4_321)!
    await pointAt(page, '#counts .chart', MANY / 2, MANY)
    const [legend] = await legends(page, '#counts')
    expect(legend!.values).toEqual(parts.map((name) => number(peak[name] as number)))
    expect(legend!.when).toBe(String(peak.timestamp).replace('T', ' ').slice(0, 16))

    await pointAt(page, '[data-chart=time]', MANY / 2, MANY)
    const [, times] = await legends(page, '#invocations')
    expect(times!.values[2]).toBe('1,250 s')
    expect(times!.when).toMatch(/^highest, .* to .*$/)
    expect(faults).toEqual([])
  })

  test('shows a part of them, down to single buckets, and all of them again', async () => {
    const counts = countsRows(MANY)
    const { page, faults } = await openOver({ counts, stats: statsRows(10) })
    const peakAt = counts.findIndex((row) => row.total_rest_requests === 4_321)
    const { x, y } = await pointAt(page, '#counts .chart', MANY / 2, MANY)
    for (const by of [6, 40]) {
      await page.mouse.move(x - by, y)
      await page.mouse.down()
      await page.mouse.move(x + by, y, { steps: 3 })
      await page.mouse.up()
    }
    const seen = new Set<string>()
    for (let at = x - 60; at < x + 60; at += 7) {
      await page.mouse.move(at, y)
      const [{ values, when }] = (await legends(page, '#counts')) as [Legend]
      const row = counts.find(({ timestamp }) => String(timestamp).startsWith(when.replace(' ', 'T')))
      expect(values[0]).toBe(number((row?.total_rest_requests as number | undefined) ?? 0))
      expect(Math.abs(counts.indexOf(row!) - peakAt)).toBeLessThan(MANY / 20)
      seen.add(when)
    }
    expect(seen.size).toBeGreaterThan(10)
    await page.getByRole('button', { name: 'Whole window' }).click()
    await page.mouse.move(0, 0)
    expect((await legends(page, '#counts'))[0]!.when).toBe('total')
    expect(faults).toEqual([])
  })

  test('shows no part that is shorter than a line', async () => {
    const { page, faults } = await openOver({ counts: countsRows(10), stats: statsRows(10) })
    const { x, y } = await pointAt(page, '[data-chart=time]', 200, 301)
    for (let drag = 0; drag < 4; drag++) {
      await page.mouse.move(x, y)
      await page.mouse.down()
      await page.mouse.move(x + 6, y, { steps: 3 })
      await page.mouse.up()
    }
    await page.mouse.move(0, 0)
    const [, { when }] = (await legends(page, '#invocations')) as [Legend, Legend]
    const [first, last] = when.split(' to ').map((time) => Date.parse(`${time}Z`)) as [number, number]
    expect(last - first).toBe(1_000)
    expect(faults).toEqual([])
  })

  test('holds no more of them in the page than of 1,000, and shows their values by pages', async () => {
    const { page, answer } = await openOver({ counts: countsRows(1_000), stats: statsRows(1_000) })
    for (const panel of ['counts', 'invocations']) await page.locator(`#${panel} .values summary`).click()
    await page.locator('#invocations tbody tr').first().waitFor()
    const before = await nodesOf(page)
    const counts = countsRows(MANY)
    await answer({ counts, stats: statsRows(MANY) })
    await page.click('#refresh')
    await page.locator('#counts .pages', { hasText: `of ${number(counts.length)}` }).waitFor()
    await settled(page)
    expect(await nodesOf(page)).toBe(before)
    await page.locator('#counts .pages').getByRole('button', { name: 'Later' }).click()
    expect(await page.locator('#counts .pages span').textContent()).toBe(`201 to 400 of ${number(counts.length)}`)
    expect(await page.locator('#counts tbody td').first().textContent()).toBe(
      String(counts[200]!.timestamp).replace('T', ' ').slice(0, 16),
    )
  })
}
