import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Debian's chromium, or one that LOGWEIR_TEST_CHROMIUM names; undefined where there is none. */
export const CHROMIUM = [process.env.LOGWEIR_TEST_CHROMIUM, ...PLACES].find(
  (path) => path !== undefined && existsSync(path),
)

export const WITHOUT =
  'there is no chromium on this machine (Debian: apt-get install chromium), so the page is not tested'

export function launchBrowser(): Promise<Browser> {
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking']
  return chromium.launch({ executablePath: CHROMIUM, args })
}

/** A page of its own. What it asks of any other host, and what fails in its scripts, is kept for the test to look at.
 * What a test puts between the page and the service is put there before the page opens. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  prepare: (blank: Page) => Promise<void> = async () => {},
) {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const strays: string[] = []
  const faults: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(`${new URL(url).origin}/`)) strays.push(request.url())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) faults.push(message.text())
  })
  onTestFinished(() => context.close())
  await prepare(page)
  await page.goto(url)
  return { page, strays, faults }
}

export async function signIn(page: Page, token: string): Promise<void> {
  await page.fill('#token', token)
  await page.keyboard.press('Enter')
}

/** Resolves when all three panels have an answer, of whatever kind. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const panels = [...document.querySelectorAll<HTMLElement>('.panel')]
    return panels.every(({ dataset }) => ['shown', 'empty', 'failed'].includes(dataset.state ?? ''))
  })
}

/** The cells of the table of a panel, row by row, without its head. */
export async function tableOf(page: Page, panel: string): Promise<string[][]> {
  const details = page.locator(`#${panel} .values`)
  if ((await details.getAttribute('open')) === null) await details.locator('summary').click()
  const rows = page.locator(`#${panel} tbody tr`)
  await rows.first().waitFor()
  return rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
}

/** How many pixels of a panel's first canvas are painted in each colour that covers some of it. */
export function paintedColors(page: Page, panel: string): Promise<number> {
  return page
    .locator(`#${panel} canvas`)
    .first()
    .evaluate((canvas) => {
      const { width, height } = canvas as HTMLCanvasElement
      const { data } = (canvas as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, width, height)
      const counts = new Map<string, number>()
      for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] !== 255) continue
        const color = `${data[i]},${data[i + 1]},${data[i + 2]}`
        counts.set(color, (counts.get(color) ?? 0) + 1)
      }
      return [...counts.values()].filter((count) => count > 200).length
    })
}
