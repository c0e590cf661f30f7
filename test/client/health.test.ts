import { expect, it } from 'vitest'
import { checkHealth } from '../../src/client/health.js'
import { readHealthConfig } from '../../src/config/health-config.js'
import { fakeService } from './fake-service.js'

it('asks the path /ready, and is content with 200', async () => {
  const asked: (string | undefined)[] = []
  const { url } = await fakeService((request, response) => {
    asked.push(request.url)
    response.end('{"status":"degraded"}')
  })
  await checkHealth(url)
  expect(asked).toEqual(['/ready'])
})

it.each([503, 404, 301])('fails if the answer is %d', async (status) => {
  const { url } = await fakeService((_, response) => response.writeHead(status, { Location: '/' }).end())
  await expect(checkHealth(url)).rejects.toMatchObject({
    code: 'service',
    message: `the service at ${url} is not ready: it answers with status ${status}.`,
  })
})

it('fails if no service listens', async () => {
  await expect(checkHealth('http://127.0.0.1:1')).rejects.toThrow(
    'cannot reach a service at http://127.0.0.1:1: ECONNREFUSED. Start one with logweir serve.',
  )
})

it.each([
  ['127.0.0.1', 'http://127.0.0.1:5'],
  ['0.0.0.0', 'http://127.0.0.1:5'],
  ['0', 'http://127.0.0.1:5'],
  ['::', 'http://[::1]:5'],
  ['fd00::7', 'http://[fd00::7]:5'],
  ['wg0.internal', 'http://wg0.internal:5'],
])('finds a service that listens on %s at %s', (host, url) => {
  expect(readHealthConfig([], { LOGWEIR_HOST: host, LOGWEIR_PORT: '5' })).toEqual({ url })
})

it('cannot know a port that is any free one', () => {
  expect(() => readHealthConfig(['--port', '0'], {})).toThrow('Port 0 is any free one: name the port with --port.')
})
