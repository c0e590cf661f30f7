import { join } from 'node:path'
import type { Browser, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRef, TOP_RANK } from '../../src/generate/values/projects.js'
import { ROOT, run, type Served, serve, TOKEN, temporaryFolder } from '../program/support/program.js'
import { createGate } from '../support/gate.js'
import { seriousFindings } from './axe.js'
import { CHROMIUM, launchBrowser, openPage, paintedColors, settled, signIn, tableOf, WITHOUT } from './browser.js'

const SEED = 7
const PROJECT = projectRef(SEED, TOP_RANK)
const HASH = `/#project=${PROJECT}&interval=7day`

/** Starts a service with 5,000 records of the last 7 days. */
async function serveRecords(args: readonly string[] = [], environment?: Record<string, string>): Promise<Served> {
  const service = await serve(args, { environment })
  const { stdout } = await run(['generate', '--rows', '5000', '--seed', String(SEED), '--span', '7d'])
  service.child.stdin!.end(stdout)
  await service.waitForStderr(/standard input ended: 5000 rows accepted/)
  return service
}

function send(service: Served, body: string): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' }
  return service.get(`/api/logs?source=edge_logs&project=${PROJECT}`, { method: 'POST', headers, body })
}

const number = (value: number) => value.toLocaleString('en')

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('the page', withBrowser)

function withBrowser(): void {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  /** Opens a page, and delays the answer to its first request, without a token, until the test calls `answerFirst`. */
  async function openDelayed(service: Served) {
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

  test('signs in, and shows in charts, tables and list what the endpoints answer', async () => {
    const service = await serveRecords()
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

    const logs = await service.rows(`logs.all?project=${PROJECT}&project_tier=ENTERPRISE`)
    expect(await page.locator('.log .message').allTextContents()).toEqual(logs.map((row) => row.event_message))
    expect(foreignRequests).toEqual([])
    expect(faults).toEqual([])
  })

  test('searches in the list, and opens metadata with every number as it came', async () => {
    const service = await serve()
    const metadata = '{"exact":12345678901234567890,"ratio":1.0,"request":{"path":"/rest/v1/<b>bold</b>"}}'
    const body = `[{"event_message":"the <i>Needle</i>","metadata":${metadata}},{"event_message":"hay"}]`
    expect((await send(service, body)).status).toBe(200)
    const { page, faults } = await openPage(browser, service.url + HASH)
    await signIn(page, TOKEN)
    await page.locator('.log li').nth(1).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('needle')
    expect(await page.locator('.log li:visible .message').allTextContents()).toEqual(['the <i>Needle</i>'])
    expect(await page.locator('mark').allTextContents()).toEqual(['Needle'])
    expect(new URL(page.url()).hash).toContain('search=needle')
    await page.locator('.log li:visible summary').click()
    const pre = await page.locator('.log li:visible pre').textContent()
    for (const part of ['12345678901234567890', '1.0', '/rest/v1/<b>bold</b>']) expect(pre).toContain(part)
    expect(await page.locator('.log b').count()).toBe(0)
    expect(faults).toEqual([])
  })

  test('is moved by keys, keeps its view in the address and goes back', async () => {
    const service = await serveRecords()
    const { page } = await openPage(browser, service.url + HASH)
    await signIn(page, TOKEN)
    await settled(page)
    await page.keyboard.press('4')
    await page.waitForFunction(() => location.hash.includes('interval=1day'))
    expect(await page.locator('[name=interval]:checked').getAttribute('value')).toBe('1day')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    expect(await page.locator('.log li').nth(1).locator('details').getAttribute('open')).not.toBeNull()
    await page.keyboard.press('t')
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.keyboard.press('?')
    expect(await page.locator('#keys').isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    await page.goBack()
    expect(await page.locator('[name=interval]:checked').getAttribute('value')).toBe('7day')
    expect(page.url()).not.toContain(TOKEN)
    expect(
      await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])),
    ).not.toContain(TOKEN)
  })

  test('leaves a record that was opened as it is while answers are shown anew, with what came meanwhile', async () => {
    const service = await serve()
    expect((await send(service, '[{"event_message":"zero"},{"event_message":"one"}]')).status).toBe(200)
    const { page } = await openPage(browser, service.url + HASH)
    await signIn(page, TOKEN)
    await settled(page)
    for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key)
    const opened = page.locator('.log details[open]')
    expect(await opened.locator('.message').textContent()).toBe('zero')
    expect((await send(service, '[{"event_message":"two"}]')).status).toBe(200)
    await page.keyboard.press('r')
    await page.locator('.log .message', { hasText: /^two$/ }).waitFor()
    expect(await page.locator('.log .message').allTextContents()).toEqual(['two', 'one', 'zero'])
    expect(await opened.locator('.message').textContent()).toBe('zero')
    expect(await page.locator(':focus .message').textContent()).toBe('zero')
    expect(await page.locator(':focus ~ pre').count()).toBe(1)
  })

  test('says what to do with a wrong token, and with one that is no longer taken', async () => {
    const folder = temporaryFolder()
    const args = ['--data-dir', folder]
    const first = await serveRecords(args)
    const port = new URL(first.url).port
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
    const service = await serve()
    expect((await send(service, '[{"event_message":"one"}]')).status).toBe(200)
    const { page, answerFirst } = await openDelayed(service)
    await signIn(page, TOKEN)
    await settled(page)
    await answerFirst()
    await page.keyboard.press('r')
    await page.locator('.log .message', { hasText: /^one$/ }).waitFor()
    expect(await page.locator('#panels').isVisible()).toBe(true)
  })

  test('leaves a token that is being written when the answer to a try without one comes', async () => {
    const { page, answerFirst } = await openDelayed(await serve())
    await page.fill('#token', TOKEN)
    await answerFirst()
    expect(await page.locator('#token').inputValue()).toBe(TOKEN)
    await page.keyboard.press('Enter')
    await settled(page)
  })

  test('tells that the service is away, and shows its answers by itself when it is back', async () => {
    const folder = temporaryFolder()
    const args = ['--data-dir', folder]
    const first = await serveRecords(args)
    const port = new URL(first.url).port
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
    const service = await serveRecords()
    const { page, faults } = await openPage(browser, service.url + HASH, {}, async (blank) => {
      await blank.route('**/columns-worker.js', (route) => route.abort(), { times: 1 })
    })
    await signIn(page, TOKEN)
    await page.locator('.state', { hasText: 'cannot be loaded' }).first().waitFor()
    await page.locator('#counts[data-state=shown]').waitFor()
    await page.locator('#invocations[data-state=shown]').waitFor()
    expect(faults).toEqual([])
  })

  test('says what is empty, and asks for a project where none is named', async () => {
    const service = await serve()
    const { page } = await openPage(browser, `${service.url}/`)
    await signIn(page, TOKEN)
    await page.getByText('Which project?').waitFor()
    await page.keyboard.type('nobody')
    await page.keyboard.press('Enter')
    await settled(page)
    expect(await page.locator('.panel[data-state=empty]').count()).toBe(3)
    expect(await page.locator('#counts .state').textContent()).toContain('No request to nobody in the last 7 days.')
  })

  test('follows what arrives, over a restart too', async () => {
    const args = ['--data-dir', temporaryFolder()]
    const first = await serve(args)
    expect((await send(first, '[{"event_message":"zero"}]')).status).toBe(200)
    const { page, faults } = await openPage(browser, first.url + HASH)
    await signIn(page, TOKEN)
    await settled(page)
    await page.click('#live')
    await page.getByText('following').waitFor()
    expect((await send(first, '[{"event_message":"one"}]')).status).toBe(200)
    await page.locator('.log .message', { hasText: /^one$/ }).waitFor()
    expect(await page.locator('#logs .window').textContent()).toContain('following')
    first.child.kill('SIGTERM')
    await first.exit
    const second = await serve([...args, '--port', new URL(first.url).port])
    expect((await send(second, '[{"event_message":"two"}]')).status).toBe(200)
    await page.locator('.log .message', { hasText: /^two$/ }).waitFor()
    expect(await page.locator('.log .message').allTextContents()).toEqual(['two', 'one', 'zero'])
    expect(faults).toEqual([])
  })

  test('holds the newest 500 of what it follows, in their order, however many come at once', async () => {
    const service = await serve()
    const { page } = await openPage(browser, service.url + HASH)
    await signIn(page, TOKEN)
    await settled(page)
    await page.click('#live')
    await page.getByText('following').waitFor()
    const names = Array.from({ length: 700 }, (_, i) => `record ${i}`)
    expect((await send(service, JSON.stringify(names.map((name) => ({ event_message: name }))))).status).toBe(200)
    await page.locator('.log .message', { hasText: /^record 699$/ }).waitFor()
    await page.waitForFunction(() => document.querySelectorAll('.log li').length === 500)
    expect(await page.locator('.log .message').allTextContents()).toEqual(names.slice(200).reverse())
  })

  test('shows endpoints of your own without a time as tables', async () => {
    const service = await serveRecords(['--endpoints', join(ROOT, 'examples/endpoints')])
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
    const service = await serve()
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

  test.each(['light', 'dark'] as const)('has no serious finding of accessibility, %s', async (colorScheme) => {
    const service = await serveRecords()
    const { page } = await openPage(browser, service.url + HASH, { colorScheme })
    const findings: unknown[] = [...(await seriousFindings(page))]
    await signIn(page, TOKEN)
    await settled(page)
    await page.locator('.log summary').first().click()
    await tableOf(page, '#counts')
    findings.push(...(await seriousFindings(page)))
    await page.keyboard.press('Escape')
    await page.click('#help')
    findings.push(...(await seriousFindings(page)))
    expect(findings).toEqual([])
  })

  test('fits a phone', async () => {
    const service = await serveRecords()
    const { page } = await openPage(browser, service.url + HASH, { viewport: { width: 360, height: 740 } })
    await signIn(page, TOKEN)
    await settled(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    expect(await page.locator('#logs').boundingBox()).toMatchObject({ x: expect.any(Number) })
  })
}
