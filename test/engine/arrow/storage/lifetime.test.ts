import { describe, expect, it } from 'vitest'
import { createLifetime } from '../../../../src/engine/arrow/storage/lifetime.js'

function counted() {
  const ends: string[] = []
  const lifetime = createLifetime(async () => void ends.push('end'))
  return { ...lifetime, ends }
}

describe('a lifetime', () => {
  it('ends at once where nobody uses it, and once only', async () => {
    const { close, ends } = counted()
    await Promise.all([close(), close()])
    expect(ends).toEqual(['end'])
  })

  it('ends when the last who retains it lets go, each once', async () => {
    const { retain, close, ends } = counted()
    const [first, second] = [retain(), retain()]
    const closed = close()
    first()
    first()
    expect(ends).toEqual([])
    second()
    await closed
    expect(ends).toEqual(['end'])
  })

  it('goes on after all have let go, until it is closed', async () => {
    const { retain, close, ends } = counted()
    retain()()
    expect(ends).toEqual([])
    await close()
    expect(ends).toEqual(['end'])
    expect(retain).toThrow(new TypeError('What is closed cannot be retained.'))
  })

  it('hands on why it could not end', async () => {
    const why = new Error('no')
    const { close } = createLifetime(() => Promise.reject(why))
    await expect(close()).rejects.toBe(why)
  })
})
