import { afterEach, describe, expect, it } from 'vitest'
import { createRequestThread, type RequestThread } from '../../../src/base/scheduling/request-thread.js'

/** Counts requests and doubles numbers. Dies of some words. */
const SCRIPT = `
import { parentPort } from 'node:worker_threads'
let count = 0
parentPort.on('message', (question) => {
  count++
  if (question === 'throw') throw new RangeError('thrown')
  if (question === 'exit') process.exit(3)
  if (question !== 'hang') parentPort.postMessage({ asked: count, doubled: 2 * (question.length ?? question) })
})`

let open: RequestThread<unknown, unknown>[] = []
afterEach(async () => {
  await Promise.all(open.map((thread) => thread.terminate()))
  open = []
})

function start() {
  const thread = createRequestThread<unknown, unknown>(new URL(`data:text/javascript,${encodeURIComponent(SCRIPT)}`))
  open.push(thread)
  return thread
}

describe('a thread that answers', () => {
  it('answers each question, in turn', async () => {
    const { request } = start()
    expect(await Promise.all([1, 2, 3].map((number) => request(number)))).toEqual(
      [1, 2, 3].map((number) => ({ asked: number, doubled: 2 * number })),
    )
  })

  it('takes memory over', async () => {
    const { request } = start()
    const bytes = new Uint8Array(5)
    expect(await request(bytes, [bytes.buffer])).toMatchObject({ doubled: 10 })
    expect(bytes.length).toBe(0)
  })

  it.each([
    ['throw', 'thrown'],
    ['exit', 'The thread stopped by itself, with code 3.'],
  ])('that dies of one (%s) rejects that one, and starts anew with the next', async (word, message) => {
    const { request } = start()
    expect(await request(1)).toMatchObject({ asked: 1 })
    const [refused, next] = await Promise.allSettled([request(word), request(4)])
    expect(refused).toMatchObject({ status: 'rejected', reason: { message } })
    expect(next).toEqual({ status: 'fulfilled', value: { asked: 1, doubled: 8 } })
  })

  it('that is ended rejects what it was asked, and starts anew with the next', async () => {
    const thread = start()
    const asked = Promise.allSettled([thread.request('hang'), thread.request(2)])
    await new Promise(setImmediate)
    await thread.terminate()
    const reason = new Error('The thread was ended.')
    expect(await asked).toEqual(Array(2).fill({ status: 'rejected', reason }))
    expect(await thread.request(1)).toEqual({ asked: 1, doubled: 2 })
  })
})
