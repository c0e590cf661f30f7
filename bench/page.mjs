/**
 * Measures whether the page's charts stay responsive with many buckets. A stub of logweir answers the built page in
 * chromium. The pointer moves over the first chart and drags over a part of the chart, the window shrinks, and the page
 * refreshes.
 *
 *   node bench/page.mjs bars 100000
 *   node bench/page.mjs lines 100000
 *
 * `drawnMs` and `refreshedMs`: from the last byte of the answer to the frame that shows the answer. `drawnMs` includes
 * the start of the page. `…TaskMs`: the longest task that blocked the page's thread, or 0 if none took 50 ms, the
 * browser's threshold. The debugger that controls the browser copies each answer, which adds to the times.
 */
import { chromium } from 'playwright-core'
import { startStub } from './page-stub.mjs'

const [panel, buckets] = [process.argv[2] ?? 'bars', Number(process.argv[3] ?? 100_000)]
const MOVES = 200
const name = `own.${panel}`
const place = `[data-endpoint="${name}"]`

const { url, bytes, close } = await startStub(panel, buckets)
const browser = await chromium.launch({
  executablePath: process.env.LOGWEIR_TEST_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
const page = await browser.newPage({ viewport: { width: 1280, height: 860 } })
await page.addInitScript(observe)
const debuggerSession = await page.context().newCDPSession(page)
await debuggerSession.send('Performance.enable')

await page.goto(`${url}/#project=bench&view=charts&range=5min`)
const { ms: drawnMs, taskMs: drawTaskMs } = await waitForAnswer()
const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
const box = await page.locator(`${place} .u-over`).first().boundingBox()
const [y, x] = [box.y + box.height / 2, (share) => box.x + share * box.width]

await page.mouse.move(x(0), y)
const hover = await measureBusy(() => page.mouse.move(x(1) - 1, y, { steps: MOVES }))
const zoom = await measureBusy(async () => {
  await page.mouse.move(x(0.4), y)
  await page.mouse.down()
  await page.mouse.move(x(0.6), y, { steps: 5 })
  await page.mouse.up()
})
const resize = await measureBusy(() => page.setViewportSize({ width: 1000, height: 860 }))
await page.evaluate(() => document.querySelector('#refresh').click())
const { ms: refreshedMs, taskMs: refreshTaskMs } = await waitForAnswer()
const table = await measureBusy(async () => {
  await page.locator(`${place} .values summary`).click()
  await page.locator(`${place} tbody tr`).first().waitFor()
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

/** Runs in the page: records the page's long tasks and the time at which each panel showed an answer. */
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
          seen.shownMs[target.dataset.endpoint] = performance.now()
        }),
      )
    }
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-state'] })
}

/** Waits until the panel shows an answer. Returns the time since the answer's last byte, and the longest task. */
async function waitForAnswer() {
  await page.waitForFunction((id) => seen.shownMs[id] !== undefined, name)
  return page.evaluate((id) => {
    const receivedMs = Math.max(
      ...performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.includes('/query/'))
        .map(({ responseEnd }) => responseEnd),
    )
    const result = { ms: seen.shownMs[id] - receivedMs, taskMs: Math.max(0, ...seen.tasks) }
    seen.tasks = []
    seen.shownMs = {}
    return result
  }, name)
}

/**
 * Returns how long the page's thread was busy from the start of `act` to two frames after the end, and the thread's
 * longest task.
 */
async function measureBusy(act) {
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
