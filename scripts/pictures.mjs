/**
 * Takes the screenshots of the page in docs/images: `npm run pictures`. Needs chromium: /usr/bin/chromium, or the path
 * in LOGWEIR_TEST_CHROMIUM. The records are seeded, but their timestamps depend on the current time.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { startTokenProxy } from '../dist/demo/token-proxy.js'
import { projectRef, TOP_RANK } from '../dist/generate/values/projects.js'

const [SEED, ROWS, TOKEN] = [1, 100_000, 'pictures']
const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const CLI = pathOf('dist/cli.js')
const FOLDER = pathOf('docs/images')
const DESK = { width: 1280, height: 860 }

const project = projectRef(SEED, TOP_RANK)
const QUERY = `select
  timestamp_trunc(timestamp, hour) as hour,
  count(*) as requests,
  countif(response.status_code >= 400) as failed,
  round(approx_quantiles(response.origin_time, 100)[offset(95)]) as p95
from edge_logs
group by hour
order by hour`
const PICTURES = {
  light: { viewport: DESK, colorScheme: 'light', fragment: `#project=${project}&range=1day` },
  dark: { viewport: DESK, colorScheme: 'dark', fragment: `#project=${project}&range=1day&errors=1`, opened: 2 },
  phone: {
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    colorScheme: 'light',
    fragment: `#project=${project}&source=postgres_logs&range=1day`,
  },
  charts: { viewport: DESK, colorScheme: 'light', fragment: `#project=${project}&view=charts&range=7day` },
  sql: {
    viewport: DESK,
    colorScheme: 'light',
    fragment: `#${new URLSearchParams({ view: 'sql', project, range: '1day', sql: QUERY })}`,
    click: '#sql button:has-text("Run")',
  },
  api: {
    viewport: DESK,
    colorScheme: 'dark',
    fragment: `#view=api&project=${project}&endpoint=usage.api-counts&p.interval=daily`,
  },
  empty: {
    viewport: { width: 1280, height: 560 },
    colorScheme: 'light',
    fragment: `#project=${project}&source=pgbouncer_logs&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`,
  },
}

const env = { ...process.env, LOGWEIR_ACCESS_TOKENS: TOKEN }
const server = spawn(process.execPath, [CLI, 'serve', '--in-memory', '--sql', '--port', '0'], {
  stdio: ['pipe', 'inherit', 'pipe'],
  env,
})
const lines = createInterface({ input: server.stderr })
const waitForLine = (pattern) =>
  new Promise((resolve) => lines.on('line', (line) => pattern.test(line) && resolve(line)))

try {
  const listening = waitForLine(/listening on/)
  const inputEnded = waitForLine(/standard input ended/)
  const generated = ['generate', '--rows', String(ROWS), '--seed', String(SEED)]
  spawn(process.execPath, [CLI, ...generated], { stdio: ['ignore', 'pipe', 'inherit'] }).stdout.pipe(server.stdin)
  const url = await startTokenProxy(/http:\S+/.exec(await listening)[0], TOKEN)
  await inputEnded
  mkdirSync(FOLDER, { recursive: true })
  const browser = await chromium.launch({
    executablePath: process.env.LOGWEIR_TEST_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  for (const [name, { fragment, opened, click, ...options }] of Object.entries(PICTURES)) {
    const page = await browser.newPage(options)
    await page.goto(`${url}/${fragment}`)
    if (click !== undefined) await page.locator(click).first().click()
    await page.waitForFunction(isShown)
    if (opened !== undefined) await page.locator('.rows .row').nth(opened).click()
    await page.locator('#explore [aria-busy="true"]').waitFor({ state: 'detached' })
    await page.screenshot({ path: `${FOLDER}/${name}.png`, animations: 'disabled' })
    await page.close()
  }
  await browser.close()
} finally {
  server.kill('SIGTERM')
  await once(server, 'exit')
}

/** Runs in the page: returns whether the view shows rows, or that there are none, or charts. */
function isShown() {
  const view = document.querySelector('#content > :is(#explore, #panels, #sql, #api):not([hidden])')
  if (view === null || view.querySelector('[aria-busy="true"]') !== null) return false
  if (view.id === 'panels')
    return [...view.querySelectorAll('.panel')].every(({ dataset }) => ['shown', 'empty'].includes(dataset.state))
  if (view.id !== 'explore') return view.querySelector('.answer-size')?.textContent.includes('rows')
  // The number of rows of each source comes with the projects.
  const isCounted = document.querySelector('#source option:checked').textContent.includes('·')
  return isCounted && ['rows', 'empty'].includes(document.querySelector('#list').dataset.state)
}
