import { describe, expect, it } from 'vitest'
import { releasing } from '../../../../src/engine/execute/run/row-iterator.js'
import type { Row } from '../../../../src/plan/answer.js'
import { createGate } from '../../../support/gate.js'

const ROWS: Row[] = [{ n: 1 }, { n: 2 }, { n: 3 }]

function counted(rows: AsyncIterable<Row>) {
  const released = { times: 0 }
  return { rows: releasing(rows, () => released.times++), released }
}

async function* three(): AsyncGenerator<Row> {
  yield* ROWS
}

async function* failing(): AsyncGenerator<Row> {
  yield ROWS[0]!
  throw new Error('damaged')
}

describe('rows with something to release', () => {
  it('release it once, after the last row', async () => {
    const { rows, released } = counted(three())
    const seen: [Row, number][] = []
    for await (const row of rows) seen.push([row, released.times])
    expect(seen).toEqual(ROWS.map((row) => [row, 0]))
    expect([await rows.next(), await rows.return!(), released.times]).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
      1,
    ])
  })

  it('release it when a row cannot be read, and have no more rows', async () => {
    const { rows, released } = counted(failing())
    await rows.next()
    await expect(rows.next()).rejects.toThrow('damaged')
    expect([released.times, await rows.next()]).toEqual([1, { done: true, value: undefined }])
  })

  it('release it when the caller stops, and end their source', async () => {
    let isEnded = false
    async function* source(): AsyncGenerator<Row> {
      try {
        yield* ROWS
      } finally {
        isEnded = true
      }
    }
    const { rows, released } = counted(source())
    for await (const _ of rows) break
    expect([released.times, isEnded]).toEqual([1, true])
  })

  it('release it when the caller stops before the first row', async () => {
    const { rows, released } = counted(three())
    await rows.return!()
    expect([released.times, await rows.next()]).toEqual([1, { done: true, value: undefined }])
  })

  it('do not release it while a row is being read', async () => {
    const reading = createGate()
    async function* slow(): AsyncGenerator<Row> {
      await reading.opened
      yield ROWS[0]!
    }
    const { rows, released } = counted(slow())
    const first = rows.next()
    const ended = rows.return!()
    await new Promise((resolve) => setImmediate(resolve))
    expect(released.times).toBe(0)
    reading.open()
    await Promise.all([first, ended])
    expect(released.times).toBe(1)
  })

  it('do not keep a row that the caller has got', async () => {
    const kept: WeakRef<Row>[] = []
    const source = {
      next: async () => {
        const value: Row = { text: 'x' }
        kept.push(new WeakRef(value))
        return { done: false as const, value }
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
    const { rows } = counted(source as unknown as AsyncIterable<Row>)
    await rows.next()
    await new Promise((resolve) => setTimeout(resolve, 1))
    const { setFlagsFromString } = await import('node:v8')
    const { runInNewContext } = await import('node:vm')
    setFlagsFromString('--expose-gc')
    ;(runInNewContext('gc') as () => void)()
    setFlagsFromString('--no-expose-gc')
    expect([kept[0]!.deref(), typeof rows.next]).toEqual([undefined, 'function'])
  })
})
