import { spawn } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import { expectFreeLoop, probeHealth } from '../support/health-probe.js'
import { CLI, type Served, serve } from '../support/program.js'

const ROWS = 300_000
/** Patterns that no prefilter helps. Each query is computed, never cached. */
const PATTERNS = ['[^x]*(a|b|c)+[^y]*z9$', '(?i)(x+x+)+y', '(?s).*storage.*webp.*q', '\\A(.*/){9}never']

it('O3: health is answered at once while four of the worst queries run', async () => {
  const service = await serve()
  const generator = spawn(process.execPath, [CLI, 'generate', '--rows', `${ROWS}`, '--slim', '--source', 'edge_logs'])
  onTestFinished(() => void generator.kill('SIGKILL'))
  generator.stdout.pipe(service.child.stdin!)
  await service.waitForStderr(/standard input ended/)
  await expectFreeLoop(() => probe(service))
}, 120_000)

/** Probes /health while queries of each pattern run. */
async function probe({ url, rows }: Served) {
  let queries = 0
  const waits = await probeHealth(url, (isRunning) =>
    PATTERNS.map(async (pattern, i) => {
      for (let run = 0; isRunning(); run++, queries++) {
        const project = encodeURIComponent(`${pattern}|never${performance.now()}${i}${run}`)
        await rows(`usage.api-counts?interval=daily&project=${project}`)
      }
    }),
  )
  console.log(`${queries} queries`)
  expect(queries).toBeGreaterThan(PATTERNS.length)
  return waits
}
