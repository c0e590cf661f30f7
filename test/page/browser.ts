import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page, type Request } from 'playwright-core'
import { onTestFinished } from 'vitest'

/** The headless shell is first: the same engine of pages without windows, which takes less than half of the CPU. */
const PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/**
 * Path of the browser: `LOGWEIR_TEST_CHROMIUM`, or an installed Chromium or Chrome. Undefined if no browser is
 * installed.
 */
export const CHROMIUM = [process.env.LOGWEIR_TEST_CHROMIUM, ...PATHS].find(
  (path) => path !== undefined && existsSync(path),
)

/** Message of the tests if there is no browser. */
export const WITHOUT =
  'there is no chromium on this machine (Debian: apt-get install chromium-headless-shell), so the page is not tested'

/** Starts a headless browser. */
export function launchBrowser(): Promise<Browser> {
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking']
  return chromium.launch({ executablePath: CHROMIUM, args })
}

/**
 * Opens a URL in a page with a storage of its own, in UTC. Returns also `foreignRequests`, the page's requests to other
 * hosts, and `faults`, the errors of the page's scripts. `prepare` is called before the page is opened, for example to
 * intercept requests.
 */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  prepare: (blank: Page) => Promise<void> = async () => {},
) {
  const context = await browser.newContext({ timezoneId: 'UTC', ...options })
  const page = await context.newPage()
  const foreignRequests: string[] = []
  const faults: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(`${new URL(url).origin}/`)) foreignRequests.push(request.url())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) faults.push(message.text())
  })
  onTestFinished(async () => {
    // A handler of requests that still runs would fail, outside of a test.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })
  await prepare(page)
  await page.goto(url)
  return { page, foreignRequests, faults }
}

/** Enters a token in the sign-in form and submits the form. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.fill('#token', token)
  await page.keyboard.press('Enter')
}

/** Resolves when all panels show an answer, an empty answer or a failure. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const panels = [...document.querySelectorAll<HTMLElement>('.panel')]
    return panels.every(({ dataset }) => ['shown', 'empty', 'failed'].includes(dataset.state ?? ''))
  })
}

/** Opens the table of a panel, given by selector, and returns the texts of the cells, row by row, without the head. */
export async function tableOf(page: Page, panel: string): Promise<string[][]> {
  const details = page.locator(`${panel} .values`)
  if ((await details.getAttribute('open')) === null) await details.locator('summary').click()
  const rows = page.locator(`${panel} tbody tr`)
  await rows.first().waitFor()
  return rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
}

/** Returns the texts of the legends in `place`, a selector, for each chart. */
export function legends(page: Page, place: string): Promise<Legend[]> {
  return page.locator(`${place} .legend`).evaluateAll((all) =>
    all.map((legend) => ({
      labels: [...legend.querySelectorAll('li:has(i)')].map((item) => item.querySelector('button')!.textContent!),
      values: [...legend.querySelectorAll('b')].map((value) => value.textContent ?? ''),
      note: legend.querySelector('.note')?.textContent ?? '',
      when: legend.querySelector('.when')!.textContent ?? '',
    })),
  )
}

/** A legend: the names of the series, the value of each series, a note, and the time that the values belong to. */
export interface Legend {
  labels: string[]
  values: string[]
  note: string
  when: string
}

/** Returns the bytes of the answers to requests, as sent. */
export async function bytesOf(requests: readonly Request[]): Promise<number> {
  const sizes = await Promise.all(requests.map((request) => request.sizes()))
  return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
}

/** Returns the number of colours that cover more than 200 pixels of the first canvas in `place`, a selector. */
export async function paintedColors(page: Page, place: string): Promise<number> {
  return [...(await pixelsByColor(page, place)).values()].filter((count) => count > 200).length
}

/** Returns whether a colour, named by a property of the styles, covers at least a pixel of the first canvas. */
export async function isPainted(page: Page, place: string, property: string): Promise<boolean> {
  const value = await page.evaluate((name) => getComputedStyle(document.body).getPropertyValue(name), property)
  return (await pixelsByColor(page, place)).has(value.trim().toLowerCase())
}

/** Counts the opaque pixels of a canvas by colour, such as `#0b6298`. */
async function pixelsByColor(page: Page, place: string): Promise<ReadonlyMap<string, number>> {
  const entries = await page
    .locator(`${place} canvas`)
    .first()
    .evaluate((canvas) => {
      const { width, height } = canvas as HTMLCanvasElement
      const { data } = (canvas as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, width, height)
      const counts = new Map<string, number>()
      for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] !== 255) continue
        const hex = [data[i]!, data[i + 1]!, data[i + 2]!].map((part) => part.toString(16).padStart(2, '0'))
        const color = `#${hex.join('')}`
        counts.set(color, (counts.get(color) ?? 0) + 1)
      }
      return [...counts]
    })
  return new Map(entries)
}
