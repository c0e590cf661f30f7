import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Served, serve } from '../program/support/program.js'
import { CHROMIUM, launchBrowser, WITHOUT } from './browser.js'
import { fragmentOf, loaded, openSignedIn, rowsOf, send } from './explore/page.js'

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('a source of the service’s own', withBrowser)

function withBrowser(): void {
  let browser: Browser
  let service: Served
  let kill: () => Promise<void>
  beforeAll(async () => {
    browser = await launchBrowser()
    service = await serve(['--sources', 'nginx,unused,app', '--sql'], {
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
    await send(service, 'app', 'other', [{ timestamp: new Date().toISOString(), message: 'of another project' }])
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

  test('has its rows around a row, with their status or level', async () => {
    await send(service, 'edge_logs', 'p', [{ timestamp: new Date().toISOString(), message: 'of the nine' }])
    const { page, errors } = await openSignedIn(browser, service, '#project=p&source=edge_logs')
    const asked: (string | null)[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname.endsWith('/logs.explore')) asked.push(searchParams.get('source'))
    })
    await loaded(page)
    await page.locator('#list .rows > *').first().click()
    await page.getByRole('button', { name: 'Rows around' }).click()
    await page.getByText('5 rows of 2 sources').waitFor()
    const around = await page
      .locator('.around-row')
      .evaluateAll((all) => all.map((row) => [...row.children].slice(2).map((cell) => cell.textContent)))
    expect(around).toEqual([
      ['nginx', '200', 'fine'],
      ['nginx', '404', 'gone'],
      ['nginx', 'ERROR', 'broken'],
      ['nginx', 'error', 'of pino'],
      ['edge_logs', '', 'of the nine'],
    ])
    expect(asked.filter((source) => source === 'nginx')).toHaveLength(1)
    expect([asked.includes('app'), errors]).toEqual([false, []])
  })

  test('is suggested in the SQL view with its fields, if the project has rows of it', async () => {
    const { page, errors } = await openSignedIn(browser, service, '#view=sql&project=p')
    const options = page.locator('.cm-tooltip-autocomplete li')
    const write = async (text: string) => {
      await page.locator('.cm-content').focus()
      await page.keyboard.press('Control+A')
      await page.keyboard.press('Delete')
      await page.keyboard.type(text, { delay: 5 })
    }
    await write('select 1 from ng')
    await options.filter({ hasText: 'nginx' }).waitFor()
    await write('select n.responseT')
    await page.keyboard.press('Escape')
    await page.keyboard.insertText(' from nginx as n')
    for (let i = 0; i < ' from nginx as n'.length; i++) await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Control+Space')
    await options.filter({ hasText: 'responseTime' }).waitFor()
    await page.keyboard.press('Escape')
    await write('select 1 from ')
    await page.keyboard.press('Control+Space')
    await options.filter({ hasText: 'nginx' }).waitFor()
    const offered = await options.evaluateAll((all) => all.map((one) => one.firstElementChild?.textContent))
    expect([offered.includes('nginx'), offered.includes('app'), errors]).toEqual([true, false, []])
  })

  test('is opened if no other has rows of the project, and the link names none', async () => {
    const { page, errors } = await openSignedIn(browser, service, '#project=other')
    await expect.poll(async () => (await fragmentOf(page)).source).toBe('app')
    await expect.poll(async () => (await rowsOf(page)).map((cells) => cells.at(-1))).toEqual(['of another project'])
    await page.selectOption('#source', 'edge_logs')
    await page.locator('#refresh').click()
    await page.getByText('It has rows of:').waitFor()
    expect([(await fragmentOf(page)).source, errors]).toEqual([undefined, []])
    const named = await openSignedIn(browser, service, '#project=other&errors=1')
    await loaded(named.page)
    expect(await named.page.locator('#source').inputValue()).toBe('edge_logs')
  })

  test('has a time line without classes if the engine cannot read its fields', async () => {
    const { page, errors } = await openSignedIn(browser, service, '#project=p')
    await loaded(page)
    // The answer of a ClickHouse server that cannot read JSON.
    const body = { error: 'The field status has no column of its own.', code: 'unsupported_by_engine' }
    const asked: string[] = []
    await page.route('**/query/logs.histogram?*source=nginx*', async (route) => {
      const by = new URL(route.request().url()).searchParams.get('by')!
      asked.push(by)
      await (by === 'nothing' ? route.continue() : route.fulfill({ status: 501, json: body }))
    })
    await page.goto(`${service.url}/#project=p&source=nginx`)
    await expect.poll(() => rowsOf(page)).toHaveLength(4)
    await page.locator('#histogram canvas').waitFor()
    expect([await page.locator('#histogram [role=status]').textContent(), asked]).toEqual(['', ['outcome', 'nothing']])
    expect(errors).toEqual([expect.stringContaining('501')])
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
