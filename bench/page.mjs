/**
 * Does the page stutter over so many buckets? A server that answers like logweir gives it an answer of them, the built page
 * runs in chromium, a pointer moves over the first chart and drags over a part of it, the window is made smaller, and the
 * answer is asked for anew.
 *
 *   node bench/page.mjs counts 100000
 *   node bench/page.mjs invocations 100000
 *
 * `drawnMs` and `refreshedMs` are from the last byte of the answer to the frame that shows it, the first with all that a page
 * does when it is opened; `…TaskMs` is the longest piece of work that kept the page from its user meanwhile. Browsers tell of
 * those of 50 ms and more; 0: of none. The debugger that steers the browser keeps a copy of the answer, which counts here.
 */
import { chromium } from 'playwright-core'
import { startStub } from './page-stub.mjs'

const [panel, buckets] = [process.argv[2] ?? 'counts', Number(process.argv[3] ?? 100_000)]
const MOVES = 200

const { url, bytes, close } = await startStub(panel, buckets)
const browser = await chromium.launch({
  executablePath: process.env.LOGWEIR_TEST_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
const page = await browser.newPage({ viewport: { width: 1280, height: 860 } })
await page.addInitScript(observe)
const debuggerSession = await page.context().newCDPSession(page)
await debuggerSession.send('Performance.enable')

await page.goto(`${url}/#project=bench&interval=5min`)
const { ms: drawnMs, taskMs: drawTaskMs } = await answered()
const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
const box = await page.locator(`#${panel} .u-over`).first().boundingBox()
const [y, x] = [box.y + box.height / 2, (share) => box.x + share * box.width]

await page.mouse.move(x(0), y)
const hover = await during(() => page.mouse.move(x(1) - 1, y, { steps: MOVES }))
const zoom = await during(async () => {
  await page.mouse.move(x(0.4), y)
  await page.mouse.down()
  await page.mouse.move(x(0.6), y, { steps: 5 })
  await page.mouse.up()
})
const resize = await during(() => page.setViewportSize({ width: 1000, height: 860 }))
await page.evaluate(() => document.querySelector('#refresh').click())
const { ms: refreshedMs, taskMs: refreshTaskMs } = await answered()
const table = await during(async () => {
  await page.locator(`#${panel} .values summary`).click()
  await page.locator(`#${panel} tbody tr`).first().waitFor()
})
const tableNodes = (await page.evaluate(() => document.querySelectorAll('*').length)) - nodes

console.log(
  JSON.stringify({
    panel,
    buckets,
    answerBytes: bytes,
    drawnMs,
    drawTaskMs,
    hoverMs: hover.busyMs / MOVES,
    hoverTaskMs: hover.taskMs,
    zoomMs: zoom.busyMs,
    zoomTaskMs: zoom.taskMs,
    resizeMs: resize.busyMs,
    resizeTaskMs: resize.taskMs,
    refreshedMs,
    refreshTaskMs,
    tableMs: table.busyMs,
    tableTaskMs: table.taskMs,
    nodes,
    tableNodes,
  }),
)
await browser.close()
close()

/** Runs in the page: keeps its long tasks, and when a panel has shown an answer. */
function observe() {
  globalThis.seen = { tasks: [], shownMs: {} }
  new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
    type: 'longtask',
  })
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      if (target.dataset.state !== 'shown') continue
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          seen.shownMs[target.id] = performance.now()
        }),
      )
    }
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-state'] })
}

/** Waits until the panel shows an answer, and gives how long that took since the answer was there. */
async function answered() {
  await page.waitForFunction((id) => seen.shownMs[id] !== undefined, panel)
  return page.evaluate((id) => {
    const arrivedMs = Math.max(
      ...performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.includes('/query/') && !name.includes('logs.all'))
        .map(({ responseEnd }) => responseEnd),
    )
    const outcome = { ms: seen.shownMs[id] - arrivedMs, taskMs: Math.max(0, ...seen.tasks) }
    seen.tasks = []
    seen.shownMs = {}
    return outcome
  }, panel)
}

/** How long the page's thread was busy while `act` ran and until two frames after it, and its longest task. */
async function during(act) {
  await page.evaluate(() => {
    seen.tasks = []
  })
  const before = await busyMs()
  await act()
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  const after = await busyMs()
  const taskMs = await page.evaluate(() => Math.max(0, ...seen.tasks))
  return { busyMs: after - before, taskMs }
}

async function busyMs() {
  const { metrics } = await debuggerSession.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration').value * 1_000
}
