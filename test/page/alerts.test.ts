import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Served, serve, TOKEN } from '../program/support/program.js'
import { type AlertStub, agoIso, alertOf, answerAlerts, emptyStub, eventOf, ruleOf } from './alert-stub.js'
import { seriousFindings } from './axe.js'
import { CHROMIUM, launchBrowser, openPage, signIn, WITHOUT } from './browser.js'
import { fragmentOf, send } from './explore/page.js'

const HOSTILE = '<!channel> <img src=x onerror="window.hurt = 1"> {errors} \r\nX: y "\u202e'
const VIEW = '#view=alerts&project=a'

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('the alerts of the page', withBrowser)

const textsOf = (page: Page, place: string) => page.locator(place).allTextContents()
const lanesOf = (page: Page, rule: string) =>
  page
    .locator(`[aria-label="Rule ${rule}"] .lane svg[role=img]`)
    .evaluateAll((all) => all.map((svg) => svg.getAttribute('aria-label')))

function withBrowser(): void {
  let browser: Browser
  let service: Served
  let kill: () => Promise<void>
  beforeAll(async () => {
    browser = await launchBrowser()
    service = await serve(['--sql'], {
      atEnd: (given) => {
        kill = given
      },
    })
    await send(service, 'edge_logs', 'a', [{ timestamp: new Date().toISOString(), message: 'a row' }])
    await send(service, 'edge_logs', 'b', [{ timestamp: new Date().toISOString(), message: 'a row' }])
  })
  afterAll(async () => {
    await browser?.close()
    await kill?.()
  })

  /** Opens the page with the answers of a stub, and signs in. */
  async function open(stub: AlertStub, fragment = VIEW, options: BrowserContextOptions = {}, hasClock = false) {
    const errors: string[] = []
    const opened = await openPage(browser, `${service.url}/${fragment}`, options, async (blank) => {
      blank.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
      if (hasClock) await blank.clock.install()
      await answerAlerts(blank, stub)
    })
    await signIn(opened.page, TOKEN)
    return { ...opened, errors }
  }

  test('lists alerts with labels, values and text, those that fire first, and rules', async () => {
    const stub = emptyStub()
    stub.alerts = [
      alertOf({ state: 'resolved', ends_at: agoIso(60), labels: { project: 'b', path: '/z' }, text: 'over' }),
      alertOf({ state: 'pending', starts_at: null, labels: { project: 'a', path: '/y' }, text: 'soon' }),
      alertOf({ is_muted: true }),
    ]
    stub.rules = [
      ruleOf({ muted: { until: '2999-01-01T08:00:00.000Z', reason: 'a migration' }, pending: 1 }),
      ruleOf({
        name: 'slow',
        severity: 'warning',
        health: 'broken',
        reason: 'too many groups',
        firing: 0,
        summary: null,
      }),
      ruleOf({ name: 'young', health: 'new', last_evaluation: null, firing: 0, notify: null }),
    ]
    const { page, faults, errors } = await open(stub)
    await page.locator('.alert').nth(2).waitFor()
    expect(await textsOf(page, '.alert-state')).toEqual(['firing', 'pending', 'resolved'])
    expect(await textsOf(page, '.alert-text')).toEqual(['/x fails: 12 of 40 requests', 'soon', 'over'])
    expect(await textsOf(page, '.alert:first-child dt')).toEqual(['project', 'path', 'errors', 'requests'])
    expect(await textsOf(page, '.alert:first-child dd')).toEqual(['a', '/x', '12', '40'])
    expect(await textsOf(page, '.alert-head .fine')).toEqual([
      ...['critical, not notified', expect.stringMatching(/^since .*, 8 min ago$/)],
      ...['critical', expect.stringMatching(/^since .*, 10 min ago$/)],
      ...['critical', expect.stringMatching(/^at .*, 1 min ago$/)],
    ])
    expect(await textsOf(page, '.rule h3')).toEqual(['errors', 'slow', 'young'])
    expect(await textsOf(page, '.rule-health')).toEqual(['ok', 'broken', 'not evaluated yet'])
    expect(await textsOf(page, '.rule-active')).toEqual(['1 firing, 1 pending', '', ''])
    await page.getByText('Muted until 2999-01-01 08:00:00: a migration').waitFor()
    await page.getByText('Broken: too many groups').waitFor()
    await page
      .getByText(/every 30 s, for 2 min, keep firing 5 min, delay 10 s, notify ops, repeat 4 h\. Eval/)
      .first()
      .waitFor()
    await page
      .getByText('every 30 s, for 2 min, keep firing 5 min, delay 10 s, notifies nobody', { exact: true })
      .waitFor()
    await page.getByText('1 firing, 1 pending, 1 resolved lately').waitFor()
    expect([faults, errors]).toEqual([[], []])
  })

  test('shows labels, values and texts of records as texts', async () => {
    const stub = emptyStub()
    stub.alerts = [alertOf({ labels: { project: HOSTILE }, values: { [HOSTILE]: HOSTILE }, text: HOSTILE })]
    stub.rules = [ruleOf({ summary: HOSTILE, reason: HOSTILE, muted: { until: agoIso(-600), reason: HOSTILE } })]
    stub.events = [eventOf(60, 'firing', { project: 'a', path: HOSTILE })]
    const { page, faults } = await open(stub)
    await page.locator('.lane svg').first().waitFor()
    await page.getByText('Changes as a table').click()
    await page.locator('.rule td').first().waitFor()
    expect(await textsOf(page, '.alert dt, .alert dd')).toEqual(['project', HOSTILE, HOSTILE, HOSTILE])
    expect(await textsOf(page, '.alert-text')).toEqual([HOSTILE])
    expect(await page.locator('#alerts img').count()).toBe(0)
    expect(await page.evaluate(() => (globalThis as { hurt?: number }).hurt)).toBeUndefined()
    expect(faults).toEqual([])
  })

  test('draws when the alerts of each rule fired, of the project and the range', async () => {
    const stub = emptyStub()
    stub.rules = [ruleOf(), ruleOf({ name: 'slow', firing: 0 })]
    const other = { project: 'a', path: '/y' }
    stub.events = [
      ...[eventOf(3_000, 'pending'), eventOf(2_880, 'firing'), eventOf(2_580, 'resolved')],
      ...[eventOf(1_200, 'firing', other), eventOf(1_140, 'resolved', other), eventOf(600, 'firing', other)],
    ]
    stub.alerts = [alertOf({ labels: other, active_at: agoIso(600), starts_at: agoIso(600) })]
    const { page, faults } = await open(stub)
    await expect
      .poll(() => lanesOf(page, 'errors'))
      .toEqual([
        expect.stringMatching(/^path=\/y, project=a: fired 2 times, 11 min( \d s)? in all$/),
        expect.stringMatching(/^path=\/x, project=a: fired once, 5 min( \d s)? in all$/),
      ])
    const rects = await page
      .locator('[aria-label="Rule errors"] .lane rect')
      .evaluateAll((all) =>
        all.map((rect) => ({ state: rect.classList[0], title: rect.querySelector('title')!.textContent })),
      )
    expect(rects.map(({ state }) => state)).toEqual(['firing', 'firing', 'pending', 'firing'])
    expect(rects[1]!.title).toMatch(/^firing since \d{4}-/)
    expect(await textsOf(page, '[aria-label="Rule slow"] .timeline-empty')).toEqual([
      'Nothing happened in this time range.',
    ])
    await page.locator('[aria-label="Rule errors"] summary').click()
    const cells = page.locator('[aria-label="Rule errors"] tbody tr td:nth-child(2)')
    await expect
      .poll(() => cells.allTextContents())
      .toEqual(['firing', 'resolved', 'firing', 'resolved', 'firing', 'pending'])
    const [asked] = stub.histories
    expect([asked!.get('project'), asked!.get('end')]).toEqual(['a', null])
    const fromMs = Date.parse(asked!.get('start')!)
    await page.keyboard.press('6')
    await expect.poll(() => stub.histories.length).toBe(2)
    expect(Date.parse(stub.histories[1]!.get('start')!)).toBeLessThan(fromMs - 22 * 3_600_000)
    expect(faults).toEqual([])
  })

  test('reads the newest 5,000 changes, and says from when they are', async () => {
    const stub = emptyStub()
    stub.rules = [ruleOf()]
    const count = 5_100
    stub.events = Array.from({ length: count }, (_, i) => eventOf(count - i, i % 2 === 0 ? 'firing' : 'resolved'))
    const { page } = await open(stub, `${VIEW}&range=6hr`)
    const first = new Date(stub.events[count - 5_000]!.timestamp / 1_000).toISOString().slice(0, 19).replace('T', ' ')
    await page.getByText(`Changes before ${first} are too many to show`).waitFor()
    expect(stub.histories.map((params) => params.has('before'))).toEqual([false, true, true, true, true])
    expect(await lanesOf(page, 'errors')).toEqual([
      expect.stringMatching(/^path=\/x, project=a: fired 2,500 times, 41 min 4\d s in all$/),
    ])
    await page.locator('.rule summary').click()
    await expect.poll(() => page.locator('.rule tbody tr').count()).toBe(100)
  })

  test('leads to the rows of an alert, and to the query of its rule', async () => {
    const stub = emptyStub()
    stub.alerts = [alertOf({ labels: { project: 'b' } }), alertOf({ labels: {}, rule: 'other' })]
    stub.rules = [ruleOf()]
    const { page, errors } = await open(stub)
    const links = page.locator('.alert:first-child .alert-links a')
    await links.first().waitFor()
    // An alert without a project has no history that the explorer can show.
    expect(await page.locator('.alert:last-child .alert-links a:visible').count()).toBe(0)
    await links.filter({ hasText: 'History' }).click()
    await page.locator('#explore').waitFor()
    const { filter, ...shown } = await fragmentOf(page)
    expect(shown).toEqual({ project: 'b', source: 'alert_events' })
    expect(JSON.parse(filter!)).toEqual([
      { field: 'rule', op: '=', value: 'errors' },
      { field: ['labels', 'project'], op: '=', value: 'b' },
      { field: ['labels', 'path'], op: 'missing' },
    ])
    await page.goBack()
    await links.filter({ hasText: 'Query' }).click()
    await page.locator('.cm-content').waitFor()
    expect(await fragmentOf(page)).toEqual({ view: 'sql', project: 'b', sql: stub.rules[0]!.query })
    await page.goBack()
    await page.locator('.rule .alert-links a', { hasText: 'History' }).click()
    await expect.poll(async () => (await fragmentOf(page)).project).toBe('a')
    expect(JSON.parse((await fragmentOf(page)).filter!)).toEqual([{ field: 'rule', op: '=', value: 'errors' }])
    expect(errors).toEqual([])
  })

  test('shows a bound token what it may see', async () => {
    const stub = emptyStub()
    const { notify: _, reason: __, query: ___, ...rule } = ruleOf({ health: 'broken' })
    stub.rules = [rule]
    stub.alerts = [alertOf()]
    const { page } = await open(stub)
    await page.getByText('every 30 s, for 2 min, keep firing 5 min, delay 10 s, repeat 4 h').waitFor()
    expect(await page.locator('.rule-reason:visible').count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Query' }).count()).toBe(0)
  })

  test('needs no project, since alerts are of all', async () => {
    const stub = emptyStub()
    stub.rules = [ruleOf()]
    stub.alerts = [alertOf(), alertOf({ labels: { project: 'b', path: '/x' } })]
    const { page, errors } = await open(stub, '#view=alerts')
    await page.getByText('Choose a project to see what happened before.').waitFor()
    await expect.poll(() => lanesOf(page, 'errors')).toHaveLength(2)
    expect(await page.locator('#choose').isVisible()).toBe(false)
    expect(stub.histories).toEqual([])
    await page.keyboard.press('v')
    await page.locator('#choose').waitFor()
    await page.locator('#firing').click()
    await page.locator('.alert').first().waitFor()
    expect(errors).toEqual([])
  })

  test('loads again while the view is open, and keeps what the user opened', async () => {
    const stub = emptyStub()
    stub.rules = [ruleOf()]
    stub.alerts = [alertOf()]
    stub.events = [eventOf(480, 'firing')]
    const { page } = await open(stub, VIEW, {}, true)
    await page.locator('.rule summary').click()
    await page.locator('.rule tbody tr').first().waitFor()
    await page.locator('.alert-links a').first().focus()
    const [alert] = stub.alerts
    stub.alerts = [{ ...alert!, values: { errors: 13, requests: 41 } }]
    await page.clock.runFor(5_000)
    await page.getByText('13', { exact: true }).waitFor()
    expect(stub.histories).toHaveLength(1)
    expect(await page.evaluate(() => document.activeElement!.textContent)).toBe('History')
    stub.alerts = [{ ...alert!, state: 'resolved', ends_at: agoIso(0) }]
    stub.events.push(eventOf(0, 'resolved'))
    await page.clock.runFor(5_000)
    await expect.poll(() => page.locator('.rule tbody tr').count()).toBe(2)
    expect(await page.locator('#firing').isVisible()).toBe(false)
    expect(await page.locator('.rule details').getAttribute('open')).toBe('')
    expect(stub.histories).toHaveLength(2)
    await page.route('**/api/alerting/*', (route) => route.abort())
    await page.clock.runFor(5_000)
    await page.getByText('The service cannot be reached. Retrying …').waitFor()
    expect(await textsOf(page, '.alert-state')).toEqual(['resolved'])
    await page.keyboard.press('v')
    await page.locator('#api').waitFor()
    const before = stub.asked.length
    await page.clock.runFor(20_000)
    expect(stub.asked.length).toBe(before)
  })

  test('has a badge while alerts fire, which is asked for every minute', async () => {
    const stub = emptyStub()
    stub.rules = [ruleOf()]
    const { page, errors } = await open(stub, '#project=a', {}, true)
    const badge = page.locator('#firing')
    await expect.poll(() => stub.asked).toEqual(['rules', 'alerts'])
    expect(await badge.isVisible()).toBe(false)
    stub.alerts = [alertOf(), alertOf({ labels: { project: 'b' } }), alertOf({ state: 'pending', rule: 'slow' })]
    await page.clock.runFor(30_000)
    expect(stub.asked).toHaveLength(2)
    await page.clock.runFor(30_000)
    await badge.waitFor()
    expect([await badge.textContent(), await badge.getAttribute('title')]).toEqual(['2', '2 alerts fire: errors (2)'])
    await badge.click()
    await page.locator('.alert').first().waitFor()
    expect((await fragmentOf(page)).view).toBe('alerts')
    await page.click('#sign-out')
    expect(await badge.isVisible()).toBe(false)
    const before = stub.asked.length
    await page.clock.runFor(120_000)
    expect([stub.asked.length, errors]).toEqual([before, []])
  })

  test('is not offered without rules, for which the service is asked once', async () => {
    const stub = emptyStub()
    const { page, errors } = await open(stub, VIEW, {}, true)
    await page.getByText('logweir serve --alerts DIR').waitFor()
    expect(await page.locator('#view-alerts').isVisible()).toBe(false)
    await page.clock.runFor(300_000)
    expect(stub.asked).toEqual(['rules'])
    await page.keyboard.press('?')
    expect(await page.getByText('alerts and their rules').isVisible()).toBe(false)
    expect(errors).toEqual([])
  })

  test('opens with its key, and follows SQL', async () => {
    const stub = emptyStub()
    stub.rules = [ruleOf()]
    const { page } = await open(stub, '#project=a')
    await page.locator('#view-alerts').waitFor()
    await page.locator('#view-sql').waitFor()
    await page.keyboard.press('w')
    await page.locator('.rule').waitFor()
    await page.locator('#view-sql').click()
    await page.locator('.cm-content').waitFor()
    await page.keyboard.press('v')
    await expect.poll(async () => (await fragmentOf(page)).view).toBe('alerts')
    await page.keyboard.press('v')
    await expect.poll(async () => (await fragmentOf(page)).view).toBe('api')
  })

  const looks = [1_280, 1_024, 390, 320].flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
  )
  test.each(looks)('has no serious finding of axe, and fits: $width pixels, $colorScheme', async ({
    width,
    colorScheme,
  }) => {
    const stub = emptyStub()
    const long = { project: 'a', path: `/${'long'.repeat(60)}`, agent: HOSTILE }
    stub.alerts = [
      alertOf({ labels: long }),
      alertOf({ state: 'pending', starts_at: null }),
      alertOf({ state: 'resolved', ends_at: agoIso(9), labels: {} }),
    ]
    stub.rules = [
      ruleOf({ muted: { until: agoIso(-9), reason: 'x'.repeat(200) } }),
      ruleOf({ name: 'b'.repeat(100), health: 'broken', reason: 'y'.repeat(500) }),
    ]
    stub.events = [eventOf(1_000, 'firing', long), eventOf(900, 'resolved', long), eventOf(800, 'pending')]
    const { page, faults } = await open(stub, VIEW, { colorScheme, viewport: { width, height: 844 } })
    await page.locator('.lane svg').first().waitFor()
    await page.locator('.rule summary:visible').first().click()
    await page.locator('.rule tbody tr').first().waitFor()
    expect(await seriousFindings(page)).toEqual([])
    for (const place of [':root', '#content'])
      expect(await page.locator(place).evaluate((one) => one.scrollWidth - one.clientWidth), place).toBe(0)
    expect(await page.locator('#firing').isVisible()).toBe(true)
    expect(faults).toEqual([])
  })
}
