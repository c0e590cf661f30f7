import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../src/demo/free-port.js'

const HOST = '127.0.0.1'

/** Listens on a port until the test ends. Returns the port, or undefined if another process has it. */
async function occupy(port: number): Promise<number | undefined> {
  const server = createServer().listen(port, HOST)
  onTestFinished(() => void server.close())
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  return isListening ? (server.address() as AddressInfo).port : undefined
}

it('is the first one if it is free, and any if that is 0', async () => {
  const port = await freePort(HOST, 0)
  expect(port).toBeGreaterThan(0)
  expect(await freePort(HOST, port)).toBe(port)
})

it('is a later one if the first is in use', async () => {
  const port = (await occupy(0))!
  expect(await freePort(HOST, port)).toBeGreaterThan(port)
})

it('says so if there is none', async () => {
  await occupy(65_535)
  await expect(freePort(HOST, 65_535)).rejects.toThrow('no port from 65535 on is free')
})
