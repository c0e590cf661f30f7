import { join } from 'node:path'
import type { Browser, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRef, TOP_RANK } from '../../src/generate/values/projects.js'
import { ROOT, type Served, serve, TOKEN, temporaryFolder } from '../program/support/program.js'
import { createGate } from '../support/gate.js'
import { seriousFindings } from './axe.js'
import { CHROMIUM, launchBrowser, openPage, paintedColors, settled, signIn, tableOf, WITHOUT } from './browser.js'
import { send, serveGenerated } from './explore/page.js'

const SEED = 7
const PROJECT = projectRef(SEED, TOP_RANK)
const EXAMPLES = join(ROOT, 'examples/endpoints')
const HASH = `/#project=${PROJECT}&view=charts&range=7day`

/** Starts a service with one request to the project, in a data directory. Returns it and its arguments. */
async function serveOne() {
  const args = ['--data-dir', temporaryFolder()]
  const service = await serve(args)
  await send(service, 'edge_logs', PROJECT, [{ metadata: { request: { url: PROJECT, path: '/rest' } } }])
  return { service, args, port: new URL(service.url).port }
}

const number = (value: number) => value.toLocaleString('en')

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('the charts of the page', withBrowser)

function withBrowser(): void {
  let browser: Browser
  /** With the example endpoints, and records of the last 7 days. */
  let service: Served
  let kill: () => Promise<void>
  beforeAll(async () => {
    browser = await launchBrowser()
    service = await serveGenerated(
      { rows: 5_000, seed: SEED, span: '7d', args: ['--endpoints', EXAMPLES] },
      (given) => {
        kill = given
      },
    )
  })
  afterAll(async () => {
    await browser?.close()
    await kill?.()
  })

  /** Opens a page, and delays the answer to its first request, without a token, until the test calls `answerFirst`. */
  async function openDelayed() {
    const gate = createGate()
    const hold = (route: Route) => gate.opened.then(() => route.continue())
    const { page } = await openPage(browser, service.url + HASH, {}, async (blank) => {
      await blank.route('**/api/session', hold, { times: 1 })
    })
    const answerFirst = async () => {
      const late = page.waitForResponse('**/api/session')
      gate.open()
      await (await late).finished()
      // The page has handled the response when this resolves.
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
    }
    return { page, answerFirst }
  }

  test('signs in, and shows in charts and tables what the endpoints answer', async () => {
    const { page, foreignRequests, faults } = await openPage(browser, service.url + HASH)
    await signIn(page, TOKEN)
    await settled(page)

    const counts = await service.rows(`usage.api-counts?project=${PROJECT}&interval=daily`)
    const names = ['rest', 'storage', 'auth', 'realtime']
    expect(await tableOf(page, '#counts')).toEqual(
      counts.map((row) => [row.timestamp.slice(0, 10), ...names.map((name) => number(row[`total_${name}_requests`]))]),
    )
    const stats = await service.rows(`functions.invocation-stats?project=${PROJECT}&interval=7day`)
    const shown = await tableOf(page, '#invocations')
    expect(shown.map(([day, count, errors]) => [day, count, errors])).toEqual(
      stats.map(({ timestamp, count, error_count }) => [
        new Date(timestamp / 1000).toISOString().slice(0, 10),
        number(count),
        number(error_count),
      ]),
    )
    expect(counts.length).toBeGreaterThan(5)
    expect(stats.length).toBeGreaterThan(5)
    // Four series of bars; axes and grid may add colours.
    expect(await paintedColors(page, '#counts')).toBeGreaterThanOrEqual(4)
    expect(await paintedColors(page, '#invocations')).toBeGreaterThanOrEqual(2)

    expect(foreignRequests).toEqual([])
    expect(faults).toEqual([])
  })

  test('is moved by keys, and stores no token', async () => {
    const { page } = await openPage(browser, service.url + HASH)
    await signIn(page, TOKEN)
    await settled(page)
    await page.keyboard.press('6')
    await page.waitForFunction(() => location.hash.includes('range=1day'))
    await page.locator('#invocations .window', { hasText: 'last day' }).waitFor()
    await page.keyboard.press('t')
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.keyboard.press('?')
    expect(await page.locator('#keys').isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    await page.goBack()
    await page.locator('#invocations .window', { hasText: 'last 7 days' }).waitFor()
    await page.keyboard.press('v')
    expect(await page.locator('#explore').isVisible()).toBe(true)
    expect(page.url()).not.toContain(TOKEN)
    expect(
      await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])),
    ).not.toContain(TOKEN)
  })

  test('says what to do with a wrong token, and with one that is no longer taken', async () => {
    const { service: first, args, port } = await serveOne()
    const { page } = await openPage(browser, first.url + HASH)
    await signIn(page, 'wrong')
    await page.getByText('The service does not know this token').waitFor()
    await signIn(page, TOKEN)
    await settled(page)

    first.child.kill('SIGTERM')
    await first.exit
    await serve([...args, '--port', port], { environment: { LOGWEIR_ACCESS_TOKENS: 'another' } })
    await page.click('#refresh')
    await page.getByText('it has expired or was revoked').waitFor()
    expect(await page.locator('#panels').isVisible()).toBe(false)
    await signIn(page, 'another')
    await settled(page)
    expect(await page.locator('#project').inputValue()).toBe(PROJECT)
    expect(await page.locator('#counts').getAttribute('data-state')).toBe('shown')
  })

  test('stays signed in when the answer to a try without a token comes late', async () => {
    const { page, answerFirst } = await openDelayed()
    await signIn(page, TOKEN)
    await settled(page)
    await answerFirst()
    await page.keyboard.press('r')
    await page.locator('#counts[data-state=shown]').waitFor()
    expect(await page.locator('#panels').isVisible()).toBe(true)
  })

  test('leaves a token that is being written when the answer to a try without one comes', async () => {
    const { page, answerFirst } = await openDelayed()
    await page.fill('#token', TOKEN)
    await answerFirst()
    expect(await page.locator('#token').inputValue()).toBe(TOKEN)
    await page.keyboard.press('Enter')
    await settled(page)
  })

  test('tells that the service is away, and shows its answers by itself when it is back', async () => {
    const { service: first, args, port } = await serveOne()
    const { page } = await openPage(browser, first.url + HASH)
    await signIn(page, TOKEN)
    await settled(page)
    first.child.kill('SIGTERM')
    await first.exit
    await page.click('#refresh')
    await page.locator('#notice').getByText('cannot be reached').waitFor()
    await serve([...args, '--port', port])
    await page.locator('#notice').waitFor({ state: 'hidden', timeout: 20_000 })
    await page.locator('#counts[data-state=shown]').waitFor()
  })

  test('asks again by itself where a part of the page did not come', async () => {
    const { page, faults } = await openPage(browser, service.url + HASH, {}, async (blank) => {
      await blank.route('**/columns-worker.js', (route) => route.abort(), { times: 1 })
    })
    await signIn(page, TOKEN)
    await page.locator('.state', { hasText: 'cannot be loaded' }).first().waitFor()
    await page.locator('#counts[data-state=shown]').waitFor()
    await page.locator('#invocations[data-state=shown]').waitFor()
    expect(faults).toEqual([])
  })

  test('says what is empty', async () => {
    const { page } = await openPage(browser, `${service.url}/#project=nobody&view=charts&range=7day`)
    await signIn(page, TOKEN)
    await settled(page)
    for (const panel of ['#counts', '#invocations']) {
      expect(await page.locator(panel).getAttribute('data-state')).toBe('empty')
    }
    expect(await page.locator('#counts .state').textContent()).toContain('No request to nobody in the last 7 days.')
  })

  test('shows endpoints of your own without a time as tables', async () => {
    const { page, faults } = await openPage(browser, service.url + HASH)
    await signIn(page, TOKEN)
    await page.locator('#others section').first().waitFor()
    await settled(page)
    const { result } = (await (await service.get('/api/endpoints')).json()) as { result: { name: string }[] }
    const userEndpoints = result.slice(3).map(({ name }) => name)
    expect(userEndpoints.length).toBeGreaterThan(0)
    const shown = await page.locator('#others section').evaluateAll((all) => all.map((one) => one.ariaLabel))
    expect(shown.length).toBeGreaterThan(0)
    for (const name of shown) {
      expect(userEndpoints).toContain(name)
      const rows = await service.rows(`${name}?project=${PROJECT}`)
      expect(await page.locator(`[data-endpoint="${name}"] tbody tr`).count()).toBe(Math.min(rows.length, 100))
    }
    expect(faults).toEqual([])
  })

  test('shows the API, each operation with its answers', async () => {
    const { page } = await openPage(browser, service.url + HASH)
    await signIn(page, TOKEN)
    await settled(page)
    await page.keyboard.press('a')
    await page.getByText('POST /api/logs').click()
    await page.getByText('unsupported_content_type').first().waitFor()
    const { paths } = (await (await service.get('/api/openapi.json')).json()) as { paths: object }
    expect(await page.locator('.operation').count()).toBe(Object.keys(paths).length)
    expect(await seriousFindings(page)).toEqual([])
  })

  test('has no serious finding of accessibility, and the theme of the system', async () => {
    const { page } = await openPage(browser, service.url + HASH)
    const findings: unknown[] = [...(await seriousFindings(page))]
    await signIn(page, TOKEN)
    await settled(page)
    await tableOf(page, '#counts')
    findings.push(...(await seriousFindings(page)))
    await page.keyboard.press('Escape')
    await page.click('#help')
    findings.push(...(await seriousFindings(page)))
    expect(findings).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('html[data-theme=dark]').waitFor()
  })

  test('fits a phone', async () => {
    const { page } = await openPage(browser, service.url + HASH, { viewport: { width: 360, height: 740 } })
    await signIn(page, TOKEN)
    await settled(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  })
}
