import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTokenProxy } from '../../src/demo/token-proxy.js'
import { run, type Served, serve, TOKEN, temporaryFolder } from '../program/support/program.js'
import { CHROMIUM, launchBrowser, openPage, signIn, WITHOUT } from './browser.js'

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('signing in on the page', withBrowser)

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

  /** Opens the page, and collects the lines that the browser prints in the console as errors. */
  async function open(
    url: string,
    options?: BrowserContextOptions,
    prepare: (blank: Page) => Promise<unknown> = async () => {},
  ) {
    const errors: string[] = []
    const opened = await openPage(browser, url, options, async (blank) => {
      blank.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text())
      })
      await prepare(blank)
    })
    await opened.page.waitForLoadState('networkidle')
    return { ...opened, errors }
  }

  const isSignedIn = (page: Page) => page.locator('#sign-out').waitFor()
  const isSignedOut = async (page: Page) => {
    await page.locator('#sign-in').waitFor()
    expect(await page.locator('#sign-out').isVisible()).toBe(false)
  }
  const storages = (page: Page) =>
    page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]))

  test('asks for a token without an error in the console, also after a wrong one', async () => {
    const { page, errors, faults } = await open(service.url)
    await isSignedOut(page)
    expect(await page.locator('#token').evaluate((field) => field === document.activeElement)).toBe(true)
    await signIn(page, 'wrong')
    await page.getByText('The service does not know this token').waitFor()
    await isSignedOut(page)
    expect([errors, faults]).toEqual([[], []])
  })

  test('forgets the token at a reload, unless the user stays signed in', async () => {
    const { page, errors } = await open(service.url)
    expect(await page.locator('#keep').isChecked()).toBe(false)
    await signIn(page, TOKEN)
    await isSignedIn(page)
    expect(await storages(page)).not.toContain(TOKEN)
    await page.reload({ waitUntil: 'networkidle' })
    await isSignedOut(page)

    await page.check('#keep')
    await signIn(page, TOKEN)
    await isSignedIn(page)
    const kept = await page.evaluate(() => [JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })])
    expect(kept[0]).not.toContain(TOKEN)
    expect(kept[1]).toContain(TOKEN)
    await page.reload()
    await isSignedIn(page)
    // Another tab has a storage of its own.
    const other = await page.context().newPage()
    await other.goto(service.url, { waitUntil: 'networkidle' })
    await isSignedOut(other)

    await page.click('#sign-out')
    expect(await storages(page)).not.toContain(TOKEN)
    expect(await page.locator('#keep').isChecked()).toBe(false)
    await page.reload({ waitUntil: 'networkidle' })
    await isSignedOut(page)
    expect(errors).toEqual([])
  })

  test('forgets a token that is kept but no longer valid, and says so', async () => {
    const { page, errors } = await open(service.url, {}, (blank) =>
      blank.addInitScript(() => sessionStorage.setItem('logweir-token', 'an-old-token')),
    )
    await page.getByText('it has expired or was revoked').waitFor()
    await isSignedOut(page)
    expect(await storages(page)).not.toContain('an-old-token')
    expect(errors).toEqual([])
  })

  test('signs in by itself where a proxy adds a token', async () => {
    const proxy = await startTokenProxy(service.url, TOKEN)
    const { page, errors } = await open(proxy)
    await isSignedIn(page)
    expect(await storages(page)).not.toContain(TOKEN)
    expect(errors).toEqual([])
  })

  test('refuses a token that only permits sending records', async () => {
    const folder = temporaryFolder()
    const created = await run(['token', 'create', '--name', 'sender', '--scope', 'ingest', '--data-dir', folder])
    const token = created.stdout.toString().trim()
    const { url } = await serve(['--data-dir', folder])
    const { page, errors } = await open(url)
    await signIn(page, token)
    await page.getByText('This token only permits sending records').waitFor()
    await isSignedOut(page)
    expect(errors).toEqual([])
  })

  test('works where the browser refuses storage', async () => {
    const { page, faults } = await open(service.url, {}, (blank) =>
      blank.addInitScript(() => {
        for (const name of ['localStorage', 'sessionStorage'])
          Object.defineProperty(window, name, {
            get() {
              throw new DOMException('refused', 'SecurityError')
            },
          })
      }),
    )
    await page.check('#keep')
    await signIn(page, TOKEN)
    await isSignedIn(page)
    await page.click('#theme')
    await page.click('#times')
    expect(await page.locator('#times').textContent()).toBe('UTC')
    expect(faults).toEqual([])
  })

  test('shows times in local time or in UTC, as the user chooses, and keeps the choice', async () => {
    const { page } = await open(service.url, { timezoneId: 'America/St_Johns' })
    const button = page.locator('#times')
    expect(await button.textContent()).toBe('Local time')
    expect(await button.getAttribute('title')).toContain('America/St_Johns')
    await button.click()
    expect(await button.textContent()).toBe('UTC')
    await page.reload({ waitUntil: 'networkidle' })
    expect(await button.textContent()).toBe('UTC')
    await button.click()
    expect(await button.textContent()).toBe('Local time')
  })
}
