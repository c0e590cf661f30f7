import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createTestApp, PREFIX, readReply } from '../http/support.js'
import { ROOT, textOf } from './files.js'

const text = textOf('docs/operations.md')
const blocksOf = (language: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, block]) => block!)

/** Returns the rows of the table under a heading line, each row as a list of cells. */
function tableUnder(heading: string): string[][] {
  const [, , ...lines] = text.slice(text.indexOf(heading)).split('\n')
  return lines.slice(0, lines.indexOf('')).map((line) => line.split('|').slice(1, -1))
}

const codesIn = (cell: string) => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code!)

/** Returns every code of a log line in src, except the codes of errors. */
function codesOfLog(): string[] {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  const found = files.flatMap((file) => [
    ...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(/\bcode: '([a-z_]+)'/g),
  ])
  return [...new Set(found.map(([, code]) => code!))].sort()
}

describe('docs/operations.md', () => {
  it('names the setting of glibc that the program, the image and the systemd unit have', () => {
    const [setting] = /\bMALLOC_MMAP_THRESHOLD_=\d+/.exec(text)!
    for (const file of ['src/cli.ts', 'Dockerfile', 'deploy/logweir.service']) expect(textOf(file)).toContain(setting)
  })

  it('tells every code of the log', () => {
    const told = tableUnder('| `code` |').flatMap(([codes]) => codesIn(codes!))
    expect(told.sort()).toEqual(codesOfLog())
    expect(told.length).toBeGreaterThan(10)
  })

  it('shows a line of the log as it is', () => {
    const [line] = blocksOf('json')
    const { time, ...rest } = JSON.parse(line!)
    expect(new Date(time).toISOString()).toBe(time)
    expect(Object.keys(rest)).toEqual(['level', 'msg', 'code', 'url'])
  })

  it('tells what /health and /ready answer', async () => {
    const { app, state } = createTestApp()
    const states = ['starting', 'ok', 'degraded', 'stopping'] as const
    for (const [question, ...cells] of tableUnder('| | starts | serves |')) {
      const [, path] = /`GET (\S+)`/.exec(question!)!
      for (const [i, status] of states.entries()) {
        state.status = status
        const answer = await readReply(app.fetch(new Request(PREFIX + path)))
        const word = answer.status === 200 ? ` \`${JSON.parse(answer.body).status}\`` : ''
        expect([path, status, cells[i]!.trim()]).toEqual([path, status, `${answer.status}${word}`])
      }
    }
  })

  it('shows configurations that can be read, with paths that there are', () => {
    const [probes, prometheus] = blocksOf('yaml').map((block) => parse(block))
    const paths = Object.values<{ httpGet: { path: string } }>(probes).map(({ httpGet }) => httpGet.path)
    expect(paths).toEqual(['/ready', '/health', '/ready'])
    expect(prometheus.scrape_configs[0].job_name).toBe('logweir')
  })
})
