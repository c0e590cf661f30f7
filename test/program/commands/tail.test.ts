import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { fakeService } from '../../client/fake-service.js'
import { run, serve, start, TOKEN, temporaryFolder, until } from '../support/program.js'

const ROW = { id: 'one', timestamp: 1_795_168_800_000_000, event_message: 'GET | one', metadata: {} }

/** Starts a service with event streams that the test writes. */
async function streaming(greeting = '') {
  const streams: ServerResponse[] = []
  const { url } = await fakeService((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write(`retry: 1\n\n${greeting}`)
    streams.push(response)
  })
  return { url, streams }
}

const tail = (url: string) =>
  start(['tail', '--project', 'a', '--url', url], { environment: { LOGWEIR_TOKEN: 'open' } })

const event = `id: 1\ndata: ${JSON.stringify(ROW)}\n\n`

it.each(['SIGINT', 'SIGTERM'] as const)('prints what arrives, until %s ends it with 0', async (signal) => {
  const { url } = await streaming(event)
  const program = tail(url)
  const [line] = await once(program.child.stdout!, 'data')
  expect(line.toString()).toBe('2026-11-20T10:00:00Z  GET | one\n')
  program.child.kill(signal)
  expect(await program.exit).toBe(0)
  expect(program.stderrText()).toBe('')
})

it('comes back when the connection is lost, and says so once', async () => {
  const { url, streams } = await streaming(event)
  const program = tail(url)
  await once(program.child.stdout!, 'data')
  streams[0]!.destroy()
  await once(program.child.stdout!, 'data')
  expect(program.stderrText()).toMatch(
    /^logweir: the answer broke off: .* Trying again\.\nlogweir: connected again\.\n$/,
  )
})

it('ends in silence when nobody reads any more', async () => {
  const { url, streams } = await streaming(event)
  const program = tail(url)
  await once(program.child.stdout!, 'data')
  program.child.stdout!.destroy()
  streams[0]!.write(event.repeat(10_000))
  expect(await program.exit).toBe(0)
  expect(program.stderrText()).toBe('')
})

it('fails with 1 where nobody listens', async () => {
  const { code, stderr } = await run(['tail', '--project', 'a', '--url', 'http://127.0.0.1:1'], {
    environment: { LOGWEIR_TOKEN: 'open' },
  })
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^logweir: cannot reach a service at .*\n$/),
  })
})

it('prints each record of a running service once, over a restart of it', async () => {
  const args = ['--data-dir', temporaryFolder()]
  const first = await serve(args)
  const program = start(['tail', '--project', 'a', '--url', first.url, '--format', 'ndjson'], {
    environment: { LOGWEIR_TOKEN: TOKEN },
  })
  let printed = ''
  program.child.stdout!.on('data', (piece) => {
    printed += piece
  })
  const ids = () =>
    printed
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).id)
  const send = (service: typeof first, id: string) =>
    service.get('/api/logs?source=edge_logs&project=a', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ id }),
    })
  const prints = (count: number) =>
    until(
      async () => ids().length,
      (length) => length >= count,
    )
  expect((await send(first, 'one')).status).toBe(200)
  await prints(1)
  first.child.kill('SIGKILL')
  await first.exit
  const second = await serve([...args, '--port', new URL(first.url).port])
  expect((await send(second, 'two')).status).toBe(200)
  await prints(2)
  expect((await send(second, 'three')).status).toBe(200)
  await prints(3)
  expect(ids()).toEqual(['one', 'two', 'three'])
})
