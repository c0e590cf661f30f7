/** Starts the built program as a child process and sends requests over HTTP. */
import { fileURLToPath } from 'node:url'
import { peakMb, residentMb, startNode } from './process.mjs'

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
export const TOKEN = 'bench-token'

/**
 * Starts `logweir serve`, by default in memory. The standard input is a file descriptor, `pipe` or `ignore`.
 * `waitForOutput(pattern)` resolves with the match and the time when new text on stderr matches.
 */
export async function startService(stdin, args = [], environment = {}) {
  const child = startNode([CLI, 'serve', '--port', '0', ...(args.length > 0 ? args : ['--in-memory'])], {
    stdio: [stdin, 'ignore', 'pipe'],
    // As in the image and in the systemd unit.
    env: { ...process.env, LOGWEIR_ACCESS_TOKENS: TOKEN, MALLOC_MMAP_THRESHOLD_: '262144', ...environment },
  })
  const waiting = []
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += chunk
    for (const { pattern, resolve } of waiting) {
      const match = pattern.exec(output)
      if (match) resolve({ match, atMs: performance.now() })
    }
  })
  const waitForOutput = (pattern) => new Promise((resolve) => waiting.push({ pattern, resolve }))
  const startedMs = performance.now()
  const { match } = await waitForOutput(/listening on (\S+)/)
  const [, url] = match
  return {
    url,
    startedMs,
    waitForOutput,
    pid: child.pid,
    /** Null unless `stdin` is `pipe`. */
    stdin: child.stdin,
    residentMb: () => residentMb(child.pid),
    peakMb: () => peakMb(child.pid),
    get: (path) => fetch(url + path, { headers: { 'X-API-KEY': TOKEN } }),
    async stop() {
      child.kill('SIGTERM')
      await new Promise((resolve) => child.once('exit', resolve))
    },
  }
}

/** Returns the sum of a metric over all labels. */
export async function metric(service, name) {
  const text = await (await service.get('/metrics')).text()
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
