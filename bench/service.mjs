/** The built program as a child process, asked over HTTP as its users ask it. */
import { fileURLToPath } from 'node:url'
import { peakMb, residentMb, startNode } from './process.mjs'

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
export const TOKEN = 'bench-token'

/**
 * Starts `logweir serve`, its standard input from a file descriptor, `pipe` or `ignore`; in memory unless `args` say
 * otherwise. `said(pattern)` resolves with the match and the time when a line on stderr matches.
 */
export async function startService(stdin, args = []) {
  const child = startNode([CLI, 'serve', '--port', '0', ...(args.length > 0 ? args : ['--in-memory'])], {
    stdio: [stdin, 'ignore', 'pipe'],
    env: { ...process.env, LOGWEIR_ACCESS_TOKENS: TOKEN },
  })
  const waiting = []
  let heard = ''
  child.stderr.on('data', (chunk) => {
    heard += chunk
    for (const { pattern, resolve } of waiting) {
      const match = pattern.exec(heard)
      if (match) resolve({ match, atMs: performance.now() })
    }
  })
  const said = (pattern) => new Promise((resolve) => waiting.push({ pattern, resolve }))
  const startedMs = performance.now()
  const { match } = await said(/listening on (\S+)/)
  const [, url] = match
  return {
    url,
    startedMs,
    said,
    pid: child.pid,
    /** Where `stdin` is `pipe`. */
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

/** The values of one metric by its labels, summed. */
export async function metric(service, name) {
  const text = await (await service.get('/metrics')).text()
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
