import { join } from 'node:path'
import type { Browser, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRef, TOP_RANK } from '../../src/generate/values/projects.js'
import { duration } from '../../src/page/shared/format.js'
import { ROOT, type Served, serve, TOKEN, temporaryFolder } from '../program/support/program.js'
import { createGate } from '../support/gate.js'
import { seriousFindings } from './axe.js'
import {
  CHROMIUM,
  isPainted,
  launchBrowser,
  legends,
  openPage,
  paintedColors,
  settled,
  signIn,
  tableOf,
  WITHOUT,
} from './browser.js'
import { fragmentOf, loaded, send, serveGenerated } from './explore/page.js'

const SEED = 7
const PROJECT = projectRef(SEED, TOP_RANK)
const EXAMPLES = join(ROOT, 'examples/endpoints')
const HASH = `/#project=${PROJECT}&view=charts&range=7day`

/** Starts a service with one request to the project, in a data directory. Returns the service and its arguments. */
async function serveOne() {
  const args = ['--data-dir', temporaryFolder()]
  const service = await serve(args)
  await send(service, 'edge_logs', PROJECT, [{ metadata: { request: { url: PROJECT, path: '/rest' } } }])
  return { service, args, port: new URL(service.url).port }
}

const number = (value: number) => value.toLocaleString('en')
const minuteOf = (us: number) => new Date(us / 1_000).toISOString().slice(0, 16).replace('T', ' ')

/** The parts of the platform by their names in the table. */
const NAMES: Record<string, string> = {
  ...{ REST: 'rest', Storage: 'storage', Auth: 'auth', Realtime: 'realtime' },
  ...{ Functions: 'functions', GraphQL: 'graphql', other: 'null' },
}

/** Rows of `logs.histogram` and of `logs.measure`. */
interface Counted {
  timestamp: number
  bucket_us: number
  class: string | null
  count: number
}
interface Measured {
  timestamp: number
  max: number
}

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

  /** Opens a page, and delays the answer to the first request, without a token, until the test calls `answerFirst`. */
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

  /** The rows of an endpoint over the seven days that the page shows. */
  async function answerOf<Row>(call: string): Promise<Row[]> {
    const start = new Date(Date.now() - 7 * 86_400_000).toISOString()
    return (await service.rows(`${call}&project=${PROJECT}&start=${start}`)) as Row[]
  }

  /** Opens the charts, and keeps the start and end of each request that has a range. */
  async function openWithRanges(fragment = HASH) {
    const ranges = new Set<string>()
    const { page, faults } = await openPage(browser, service.url + fragment, {}, async (blank) => {
      blank.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url())
        if (pathname.includes('/query/logs.')) ranges.add(`${searchParams.get('start')} ${searchParams.get('end')}`)
      })
    })
    await signIn(page, TOKEN)
    await settled(page)
    return { page, faults, ranges }
  }

  test('signs in, and shows in charts and tables what the endpoints answer', async () => {
    const { page, foreignRequests, faults } = await openPage(browser, service.url + HASH)
    await signIn(page, TOKEN)
    await settled(page)

    const counts = await answerOf<Counted>(`logs.histogram?source=edge_logs&by=part`)
    const rows = await tableOf(page, '#requests')
    const parts = await page.locator('#requests thead th').allTextContents()
    const shownCounts = rows.flatMap(([time, ...cells]) =>
      cells.map((cell, i) => [time, NAMES[parts[i + 1]!], cell]).filter(([, , cell]) => cell !== '0'),
    )
    expect(shownCounts.sort()).toEqual(
      counts.map(({ timestamp, class: part, count }) => [minuteOf(timestamp), `${part}`, number(count)]).sort(),
    )
    const runs = await answerOf<Counted>(`logs.histogram?source=function_edge_logs`)
    const times = await answerOf<Measured>(`logs.measure?source=function_edge_logs&field=execution_time_ms`)
    const shown = await tableOf(page, '#invocations')
    const sum = (all: readonly Counted[]) => number(all.reduce((total, { count }) => total + count, 0))
    expect(shown.map(([time, count, errors]) => [time, count, errors])).toEqual(
      [...new Set(runs.map(({ timestamp }) => timestamp))].map((at) => {
        const own = runs.filter(({ timestamp }) => timestamp === at)
        return [minuteOf(at), sum(own), sum(own.filter(({ class: name }) => name === '4xx' || name === '5xx'))]
      }),
    )
    expect(shown.map((cells) => cells.at(-1))).toEqual(times.map(({ max }) => duration(max)))
    expect(counts.length).toBeGreaterThan(50)
    expect(runs.length).toBeGreaterThan(50)
    // Four series of bars. Axes and grid may add colours.
    expect(await paintedColors(page, '#requests')).toBeGreaterThanOrEqual(4)
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
    await page.locator('#invocations .window', { hasText: 'Last day' }).waitFor()
    await page.keyboard.press('t')
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.keyboard.press('?')
    expect(await page.locator('#keys').isVisible()).toBe(true)
    const [text, close] = await Promise.all(
      ['.fine', 'form'].map((one) => page.locator(`#keys ${one}`).last().boundingBox()),
    )
    expect(close!.y - text!.y - text!.height).toBeGreaterThan(8)
    await page.keyboard.press('Escape')
    await page.goBack()
    await page.locator('#invocations .window', { hasText: 'Last 7 days' }).waitFor()
    await page.click('#view-explore')
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
    expect(await page.locator('#requests').getAttribute('data-state')).toBe('shown')
  })

  test('stays signed in when the answer to a try without a token comes late', async () => {
    const { page, answerFirst } = await openDelayed()
    await signIn(page, TOKEN)
    await settled(page)
    await answerFirst()
    await page.keyboard.press('r')
    await page.locator('#requests[data-state=shown]').waitFor()
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
    await page.locator('#requests[data-state=shown]').waitFor()
  })

  test('shows one range in all charts and in the list, to the microsecond', async () => {
    const [fromUs, toUs] = [Date.now() * 1_000 - 3 * 86_400e6 + 17, Date.now() * 1_000 - 3_600e6 + 3]
    const iso = (us: number) =>
      `${new Date(us / 1_000).toISOString().slice(0, -1)}${String(us % 1_000).padStart(3, '0')}Z`
    const range = `from=${iso(fromUs)}&to=${iso(toUs)}`
    const { page, ranges, faults } = await openWithRanges(`/#project=${PROJECT}&view=charts&${range}`)
    await page.click('#view-explore')
    await loaded(page)
    expect([...ranges]).toEqual([`${iso(fromUs)} ${iso(toUs)}`])
    expect(faults).toEqual([])
  })

  test('shows everywhere the range that was chosen in one chart, by dragging or with the keyboard', async () => {
    const { page, ranges } = await openWithRanges()
    const over = (await page.locator('#requests .u-over').boundingBox())!
    ranges.clear()
    await page.mouse.move(over.x + over.width * 0.3, over.y + 50)
    await page.mouse.down()
    await page.mouse.move(over.x + over.width * 0.6, over.y + 50, { steps: 4 })
    await page.mouse.up()
    await page.waitForFunction(() => location.hash.includes('from='))
    await settled(page)
    const dragged = await fragmentOf(page)
    const query = `project=${PROJECT}&start=${dragged.from}&end=${dragged.to}`
    const runs = (await service.rows(`logs.histogram?source=function_edge_logs&${query}`)) as Counted[]
    const total = runs.reduce((sum, { count }) => sum + count, 0)
    const [counts] = await legends(page, '#invocations')
    expect(counts!.values.reduce((sum, text) => sum + Number(text.replace(',', '')), 0)).toBe(total)
    expect(total).toBeGreaterThan(5)

    await page.locator('#invocations [role=slider]').last().focus()
    for (const key of ['Home', 'ArrowRight', 'Shift+ArrowRight']) await page.keyboard.press(key)
    expect(await page.locator('#invocations [role=slider]').last().getAttribute('aria-valuetext')).toMatch(
      /^2\d{3}-.*: average .*, p95 .*, p99 /,
    )
    await page.keyboard.press('Enter')
    await page.waitForFunction((from) => new URLSearchParams(location.hash.slice(1)).get('from') !== from, dragged.from)
    await settled(page)
    const { from, to } = await fragmentOf(page)
    expect(from! > dragged.from! && to! < dragged.to!).toBe(true)
    expect([...ranges]).toEqual([`${dragged.from} ${dragged.to}`, `${from} ${to}`])
    await page.goBack()
    await page.goBack()
    await expect.poll(() => fragmentOf(page)).toMatchObject({ range: '7day' })
  })

  test('hides a series, and shows it again', async () => {
    const { page } = await openWithRanges()
    const [before] = await legends(page, '#requests')
    expect(await isPainted(page, '#requests', '--series-1')).toBe(true)
    await page.locator('#requests .legend').getByRole('button', { name: 'REST' }).click()
    const [hidden] = await legends(page, '#requests')
    expect(hidden!.values).toEqual(before!.values.map((text, i) => (before!.labels[i] === 'REST' ? '' : text)))
    expect(await isPainted(page, '#requests', '--series-1')).toBe(false)
    await page.keyboard.press('Enter')
    expect(await legends(page, '#requests')).toEqual([before])
  })

  test('follows new rows, and says that the last bucket is not over', async () => {
    const { page } = await openWithRanges(`/#project=followed&view=charts&range=1day`)
    await page.keyboard.press('l')
    expect(await page.locator('#live').getAttribute('aria-pressed')).toBe('true')
    await send(service, 'edge_logs', 'followed', [{ metadata: { request: { path: '/rest/v1' } } }])
    await page.locator('#requests .legend b', { hasText: /^1$/ }).waitFor({ timeout: 15_000 })
    await page.locator('#requests [role=slider]').focus()
    await page.keyboard.press('End')
    expect(await page.locator('#requests .legend .when').textContent()).toContain('not over yet')
    await page.keyboard.press('v')
    expect(await page.locator('#live').getAttribute('aria-pressed')).toBe('false')
  })

  test('waits for a slow answer before it asks again while it follows new rows', async () => {
    let asked = 0
    const gate = createGate()
    const { page } = await openPage(browser, service.url + HASH, {}, async (blank) => {
      await blank.clock.install()
      await blank.route('**/query/logs.histogram?*source=edge_logs*', async (route) => {
        asked++
        await gate.opened
        await route.continue()
      })
    })
    await signIn(page, TOKEN)
    await page.locator('#requests[aria-busy=true]').waitFor()
    await page.keyboard.press('l')
    await page.clock.runFor(20_000)
    expect(asked).toBe(1)
    gate.open()
    await settled(page)
    await page.clock.runFor(6_000)
    await expect.poll(() => asked).toBeGreaterThan(1)
  })

  test('asks again every two seconds while it follows new rows', async () => {
    let asked = 0
    const { page } = await openPage(browser, service.url + HASH, {}, async (blank) => {
      await blank.clock.install({ time: Date.now() })
      await blank.route('**/query/logs.histogram?*source=edge_logs*', async (route) => {
        asked++
        await route.continue()
      })
    })
    await signIn(page, TOKEN)
    await settled(page)
    await page.clock.pauseAt(Date.now() + 60_000)
    await settled(page)
    const before = asked
    await page.keyboard.press('l')
    for (let round = 1; round <= 3; round++) {
      await page.clock.runFor(2_000)
      await expect.poll(() => asked).toBe(before + round)
      await settled(page)
    }
    await page.keyboard.press('l')
    await page.clock.runFor(10_000)
    expect(asked).toBe(before + 3)
  })

  test('says what is empty', async () => {
    const { page } = await openPage(browser, `${service.url}/#project=nobody&view=charts&range=7day`)
    await signIn(page, TOKEN)
    await settled(page)
    for (const panel of ['#requests', '#invocations']) {
      expect(await page.locator(panel).getAttribute('data-state')).toBe('empty')
    }
    expect(await page.locator('#requests .state').textContent()).toContain('No request to nobody in this time range.')
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
      // However long the texts are, the last column is in view. A time may be beyond the edge.
      const right = await page.locator(`[data-endpoint="${name}"]`).evaluate((panel) => {
        const [edge, heads] = [panel.getBoundingClientRect().right, [...panel.querySelectorAll('th')]]
        return (
          Math.max(
            ...heads.filter((head) => head.textContent !== 'latest').map((head) => head.getBoundingClientRect().right),
          ) - edge
        )
      })
      expect(right, name ?? '').toBeLessThanOrEqual(0)
    }
    expect(faults).toEqual([])
  })

  test('has no serious finding of accessibility, and the theme of the system', async () => {
    const { page } = await openPage(browser, service.url + HASH)
    const findings: unknown[] = [...(await seriousFindings(page))]
    await signIn(page, TOKEN)
    await settled(page)
    await tableOf(page, '#requests')
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
