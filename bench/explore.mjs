/**
 * Measures the page over many rows of a project: a service with full edge records of the last week, and chromium.
 *
 *   node bench/explore.mjs 1000000
 *
 * `rowsMs`, `histogramMs`, `fieldsMs`: from the key for the last 7 days (`first…`), then from the key that refreshes,
 * to the frame that shows rows, histogram or fields. `filter…`: from the click on a value of a declared field.
 * `searchRowsMs`: from Enter to the frame with the rows. `scroll…`: moving down by 400 pixels a frame through at least
 * 10,000 rows: the longest time between two frames, the longest task of the page's thread (0 if none took 50 ms, the
 * browser's threshold), and the most elements that the list had.
 */
import { once } from 'node:events'
import { chromium } from 'playwright-core'
import { records } from './data.mjs'
import { startService, TOKEN } from './service.mjs'

const rows = Number(process.argv[2] ?? 1_000_000)
const SCROLLED_ROWS = 10_000

const service = await startService('pipe')
const stored = service.waitForOutput(/standard input ended/)
let project
for (const chunk of records('edge_logs', rows, false, { projects: 1 })) {
  project ??= /"project":"([^"]+)"/.exec(chunk.toString())[1]
  if (!service.stdin.write(chunk)) await once(service.stdin, 'drain')
}
service.stdin.end()
await stored

const browser = await chromium.launch({
  executablePath: process.env.LOGWEIR_TEST_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
const page = await browser.newPage({ viewport: { width: 1280, height: 860 } })
await page.addInitScript(observe)
await page.goto(`${service.url}/#project=${project}&range=5min`)
await page.fill('#token', TOKEN)
await page.keyboard.press('Enter')
await page.waitForFunction(() => {
  const isBusy = document.querySelector('#explore [aria-busy="true"]') !== null
  return !isBusy && ['rows', 'empty'].includes(document.querySelector('#list').dataset.state)
})

const first = await measure(() => page.keyboard.press('7'))
const again = await measure(() => page.keyboard.press('r'))
const scroll = await page.evaluate(scrollThrough, SCROLLED_ROWS)
const filter = await measure(() => page.locator('[data-field="request.method"] .keep').nth(1).click())
await page.fill('#search', 'timeout')
const search = await measure(() => page.keyboard.press('Enter'))

console.log(
  JSON.stringify({
    rows,
    firstRowsMs: first.rows,
    firstHistogramMs: first.histogram,
    firstFieldsMs: first.fields,
    rowsMs: again.rows,
    histogramMs: again.histogram,
    fieldsMs: again.fields,
    filterRowsMs: filter.rows,
    filterHistogramMs: filter.histogram,
    searchRowsMs: search.rows,
    ...scroll,
    residentMb: service.residentMb(),
  }),
)
await browser.close()
await service.stop()

/** Runs in the page: records the page's long tasks, and when the parts of the view stopped loading. */
function observe() {
  globalThis.seen = { tasks: [], ms: {}, startMs: 0 }
  new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
    type: 'longtask',
  })
  const names = { list: 'rows', histogram: 'histogram', 'field-list': 'fields' }
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const name = names[target.id]
      if (name === undefined || target.getAttribute('aria-busy') !== 'false') continue
      // A load that ends after the next input belongs to the previous input.
      const { ms } = seen
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          ms[name] ??= performance.now()
        }),
      )
    }
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ['aria-busy'] })
  const begin = () => Object.assign(seen, { ms: {}, startMs: performance.now() })
  for (const event of ['click', 'keydown']) addEventListener(event, begin, true)
}

/** Returns the milliseconds from the input that `act` makes to the frames that show the result. */
async function measure(act) {
  await act()
  await page.waitForFunction(() => seen.ms.rows && seen.ms.histogram && seen.ms.fields)
  return page.evaluate(() =>
    Object.fromEntries(Object.entries(seen.ms).map(([name, ms]) => [name, Math.round((ms - seen.startMs) * 10) / 10])),
  )
}

/** Runs in the page: scrolls down until the list has loaded and shown `wanted` rows. */
async function scrollThrough(wanted) {
  seen.tasks = []
  const list = document.querySelector('#list')
  const loadedRows = () => Number(document.querySelector('#list-size').textContent.replaceAll(',', '').split(' ')[0])
  let [lastMs, scrollFrameMs, scrollElements, frames] = [performance.now(), 0, 0, 0]
  while (loadedRows() < wanted || list.scrollTop + 2 * list.clientHeight < list.scrollHeight) {
    if (loadedRows() >= wanted && list.scrollTop > wanted * 20) break
    list.scrollTop += 400
    await new Promise((done) => requestAnimationFrame(done))
    const nowMs = performance.now()
    scrollFrameMs = Math.max(scrollFrameMs, nowMs - lastMs)
    scrollElements = Math.max(scrollElements, list.querySelectorAll('*').length)
    lastMs = nowMs
    frames++
  }
  return {
    scrollFrameMs,
    scrollTaskMs: Math.max(0, ...seen.tasks),
    scrollElements,
    scrollFrames: frames,
    scrolledRows: loadedRows(),
  }
}
