/** Helpers of the explorer's tests: a service with records, and functions that read the page. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { generated } from '../../program/support/generated.js'
import { type Served, serve, TOKEN } from '../../program/support/program.js'
import { openPage, signIn } from '../browser.js'

/** A row of `logs.explore`. */
export interface ApiRow {
  id: string
  timestamp: number
  event_message: string
  // biome-ignore lint/suspicious/noExplicitAny: metadata is any JSON
  metadata: any
  rank: number
}

interface Generated {
  rows: number
  seed: number
  /** The age of the oldest record, a day by default. */
  span?: string
  args?: readonly string[]
}

/** Starts a service with generated records. `keepKill` receives the function that ends the service. */
export async function serveGenerated(
  { rows, seed, span = '1d', args = [] }: Generated,
  keepKill: (kill: () => Promise<void>) => void,
): Promise<Served> {
  const service = await serve(args, { atEnd: keepKill })
  service.child.stdin!.end(generated('--rows', `${rows}`, '--seed', `${seed}`, '--span', span))
  await service.waitForStderr(new RegExp(`standard input ended: ${rows} rows accepted`))
  return service
}

/** Sends records of a project. Expects every record to be stored. */
export async function send(service: Served, source: string, project: string, records: readonly object[]) {
  const headers = { 'Content-Type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(records) }
  expect((await service.get(`/api/logs?source=${source}&project=${project}`, init)).status).toBe(200)
}

/** Opens the page at a fragment and signs in. `errors`: lines that the browser printed as errors in the console. */
export async function openSignedIn(
  browser: Browser,
  service: Served,
  fragment: string,
  options: BrowserContextOptions = {},
) {
  const errors: string[] = []
  const opened = await openPage(browser, `${service.url}/${fragment}`, options, async (blank) => {
    blank.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
  })
  await signIn(opened.page, TOKEN)
  return { ...opened, errors }
}

/** Resolves when the list shows rows, or the reason for an empty list, and nothing is loading. */
export async function loaded(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const isReady = ['rows', 'empty', 'failed'].includes(document.getElementById('list')!.dataset.state ?? '')
    return isReady && document.querySelector('#explore [aria-busy=true]') === null
  })
}

/** Returns the texts of the rows in the page, from top to bottom, cell by cell. */
export function rowsOf(page: Page): Promise<string[][]> {
  return page
    .locator('.rows')
    .evaluate((rows) =>
      [...rows.children]
        .sort((a, b) => Number(a.getAttribute('aria-rowindex')) - Number(b.getAttribute('aria-rowindex')))
        .map((row) => [...row.children].map((cell) => cell.textContent ?? '')),
    )
}

/** Returns the values of a field in the sidebar with their counts, opening the field if needed. */
export async function valuesOf(page: Page, field: string): Promise<[string, string][]> {
  const item = page.locator(`[data-field="${field}"]`)
  if ((await item.getAttribute('open')) === null) await item.locator('summary').click()
  return item
    .locator('.keep')
    .evaluateAll((all) =>
      all.map((one) => [one.querySelector('.value')!.textContent!, one.querySelector('.number')!.textContent!]),
    )
}

/** Returns the classes in the histogram's legend with their sums, or no classes without a histogram. */
export function classesOf(page: Page): Promise<[string, string][]> {
  return page
    .locator('#histogram .chart:not([hidden]) .legend li:has(i)')
    .evaluateAll((all) =>
      all.map((one) => [one.querySelector('button')!.textContent!, one.querySelector('b')!.textContent!]),
    )
}

/** Returns a number in the format of the page. */
export const number = (value: number): string => value.toLocaleString('en')

/** Returns the time of a row in the format of the list, in UTC. */
export const timeText = (us: number): string => new Date(us / 1_000).toISOString().slice(5, 23).replace('T', ' ')

/** Returns the fields of the URL's fragment, as the page has it. `page.url()` follows the page only some time later. */
export const fragmentOf = async (page: Page): Promise<Record<string, string>> =>
  Object.fromEntries(new URLSearchParams(await page.evaluate(() => location.hash.slice(1))))
