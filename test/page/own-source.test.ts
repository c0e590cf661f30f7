import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Served, serve } from '../program/support/program.js'
import { CHROMIUM, launchBrowser, WITHOUT } from './browser.js'
import { fragmentOf, loaded, openSignedIn, rowsOf, send } from './explore/page.js'

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('a source of the service’s own in the explorer', withBrowser)

function withBrowser(): void {
  let browser: Browser
  let service: Served
  let kill: () => Promise<void>
  beforeAll(async () => {
    browser = await launchBrowser()
    service = await serve(['--sources', 'nginx,unused'], {
      atEnd: (given) => {
        kill = given
      },
    })
    await send(service, 'nginx', 'p', [
      { timestamp: new Date().toISOString(), message: 'fine', status: 200 },
      { timestamp: new Date().toISOString(), message: 'gone', status: '404' },
      { timestamp: new Date().toISOString(), message: 'broken', severity: 'ERROR' },
      { timestamp: new Date().toISOString(), message: 'of pino', level: 50, responseTime: 12 },
    ])
  })
  afterAll(async () => {
    await browser?.close()
    await kill?.()
  })

  test('is listed once it has rows, and shows status, level and errors by their usual names', async () => {
    const { page, errors } = await openSignedIn(browser, service, '#project=p')
    await loaded(page)
    const option = page.locator('#source option[value=nginx]')
    await option.getByText('nginx · 4').waitFor({ state: 'attached' })
    expect(await page.locator('#source option[value=unused]').count()).toBe(0)
    await page.selectOption('#source', 'nginx')
    await expect
      .poll(async () => (await rowsOf(page)).map((cells) => cells.slice(1)))
      .toEqual([
        ['', 'error', '12 ms', 'of pino'],
        ['', 'ERROR', '', 'broken'],
        ['404', '', '', 'gone'],
        ['200', '', '', 'fine'],
      ])
    await expect.poll(async () => (await fragmentOf(page)).source).toBe('nginx')
    await page.locator('#list').focus()
    await page.keyboard.press('e')
    await expect
      .poll(async () => (await rowsOf(page)).map((cells) => cells.at(-1)))
      .toEqual(['of pino', 'broken', 'gone'])
    expect(errors).toEqual([])
  })

  test('is opened by a link before it has rows, and a name that is none is explained', async () => {
    const unused = await openSignedIn(browser, service, '#project=p&source=unused')
    await loaded(unused.page)
    expect(await unused.page.locator('#source').inputValue()).toBe('unused')
    const none = await openSignedIn(browser, service, '#project=p&source=nginy')
    await loaded(none.page)
    await none.page.getByText('is no source').first().waitFor()
  })
}
