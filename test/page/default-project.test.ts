import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run, type Served, serve, temporaryFolder } from '../program/support/program.js'
import { CHROMIUM, launchBrowser, openPage, signIn, WITHOUT } from './browser.js'
import { fragmentOf, loaded, openSignedIn, rowsOf, send } from './explore/page.js'

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('a default project on the page', withBrowser)

const record = (path: string) => ({ timestamp: new Date().toISOString(), metadata: { request: { path } } })
const paths = async (page: Page) => (await rowsOf(page)).map((cells) => cells.find((cell) => cell.startsWith('/')))

function withBrowser(): void {
  let browser: Browser
  let service: Served
  let empty: Served
  const kills: (() => Promise<void>)[] = []
  const start = (args: readonly string[]) => serve(args, { atEnd: (kill) => void kills.push(kill) })
  beforeAll(async () => {
    browser = await launchBrowser()
    service = await start(['--project', 'mine', '--sql'])
    empty = await start(['--project', 'mine'])
    await send(service, 'edge_logs', '', [record('/of-the-default')])
  })
  afterAll(async () => {
    await browser?.close()
    for (const kill of kills) await kill()
  })

  const isPickerShown = (page: Page) => page.locator('#project').isVisible()

  test('is chosen by itself, and without a second project there is nothing to choose', async () => {
    const { page, errors } = await openSignedIn(browser, service, '')
    await loaded(page)
    await expect.poll(() => isPickerShown(page)).toBe(false)
    expect(await paths(page)).toEqual(['/of-the-default'])
    expect(await fragmentOf(page)).toEqual({ project: 'mine' })
    // The key for the choice of a project has nothing to choose.
    await page.locator('#list').focus()
    await page.keyboard.press('p')
    await page.keyboard.press('?')
    await page.locator('#keys').waitFor()
    expect(await page.locator('#project-key').isVisible()).toBe(false)
    await page.keyboard.press('Escape')
    // All views show its rows.
    await page.click('#view-sql')
    await page.locator('#sql').waitFor()
    await page.click('#view-charts')
    await page.locator('#panels').waitFor()
    expect(await page.title()).toBe('mine – logweir')
    expect(errors).toEqual([])
  })

  test('is left out of the button of a narrow window', async () => {
    const { page } = await openSignedIn(browser, service, '', { viewport: { width: 390, height: 844 } })
    await loaded(page)
    await expect.poll(() => page.locator('#open-sheet').textContent()).toBe('edge_logs · Last hour')
    await page.keyboard.press('p')
    expect(await page.locator('#sheet').isVisible()).toBe(false)
  })

  test('is there before the first record', async () => {
    const { page } = await openSignedIn(browser, empty, '')
    await loaded(page)
    await expect.poll(() => isPickerShown(page)).toBe(false)
    await page.getByText('No row of project “mine” is stored.').first().waitFor()
    expect(await page.locator('#choose').isVisible()).toBe(false)
  })

  test('gives way to a link that names another project, from which a way leads back', async () => {
    const { page } = await openSignedIn(browser, empty, '#project=other')
    await loaded(page)
    expect(await isPickerShown(page)).toBe(true)
    expect(await page.locator('#project').inputValue()).toBe('other')
    await page.getByText('No row of project “other” is stored.').first().waitFor()
    await page.evaluate(() => {
      location.hash = ''
    })
    await page.getByText('No row of project “mine” is stored.').first().waitFor()
    expect(await isPickerShown(page)).toBe(false)
  })

  test('shows the choice once there is a second project', async () => {
    const { page } = await openSignedIn(browser, service, '')
    await loaded(page)
    await expect.poll(() => isPickerShown(page)).toBe(false)
    await send(service, 'edge_logs', 'second', [record('/of-the-second')])
    const { page: later } = await openSignedIn(browser, service, '')
    await loaded(later)
    // The list of projects is cached for up to 30 seconds, and an answer of other records for 2.
    await expect.poll(() => isPickerShown(later), { timeout: 40_000 }).toBe(true)
    await later.fill('#project', 'second')
    await later.keyboard.press('Enter')
    await expect.poll(() => paths(later)).toEqual(['/of-the-second'])
    await later.goBack()
    await expect.poll(() => paths(later)).toEqual(['/of-the-default'])
  })

  test('is not that of a token that is bound to other projects', async () => {
    const folder = temporaryFolder()
    const token = async (projects: string) => {
      const create = ['token', 'create', '--scope', 'query', '--project', projects, '--data-dir', folder]
      return (await run(create)).stdout.toString().trim()
    }
    const [one, two] = [await token('own'), await token('own,more')]
    const bound = await serve(['--data-dir', folder, '--project', 'mine'])
    for (const project of ['own', 'more', 'mine']) await send(bound, 'edge_logs', project, [record(`/of-${project}`)])
    const { page } = await openPage(browser, `${bound.url}/`)
    await signIn(page, one!)
    await loaded(page)
    expect([await paths(page), await fragmentOf(page)]).toEqual([['/of-own'], { project: 'own' }])
    await expect.poll(() => isPickerShown(page)).toBe(false)
    const { page: choosing } = await openPage(browser, `${bound.url}/`)
    await signIn(choosing, two!)
    await choosing.locator('#project-list button').first().waitFor()
    expect(await choosing.locator('#project-list .name').allTextContents()).toEqual(['more', 'own'])
    expect(await isPickerShown(choosing)).toBe(true)
  })
}
