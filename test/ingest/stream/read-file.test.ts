import { describe, expect, it } from 'vitest'
import { readFile } from '../../../src/ingest/stream/read-file.js'

const broken = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })

/** A file. Each read takes the next result: a number of bytes to return, or an error to throw. */
function fileOf(...results: (number | Error)[]) {
  const left = [...results]
  const into = new Uint8Array(1000)
  function read(fd: number, memory: Uint8Array): number {
    expect([fd, memory]).toEqual([7, into])
    const result = left.shift()!
    if (result instanceof Error) throw result
    return result
  }
  return { read: () => readFile({ fd: 7, enoughBytes: 100 }, (readInto) => readInto(into), read), left }
}

describe('reading a file', () => {
  it('goes on until it has read enough, or has come to the end', () => {
    const enough = fileOf(60, 60, 60)
    expect([enough.read(), enough.left]).toEqual([{ bytes: 120 }, [60]])
    const exact = fileOf(100, 1)
    expect([exact.read(), exact.left]).toEqual([{ bytes: 100 }, [1]])
    const ended = fileOf(60, 0, 60)
    expect([ended.read(), ended.left]).toEqual([{ bytes: 60 }, [60]])
    expect(fileOf(0).read()).toEqual({ bytes: 0 })
  })

  it('tells of a fault once nothing was read before it', () => {
    const { read } = fileOf(60, broken, broken)
    expect(read()).toEqual({ bytes: 60 })
    expect(read()).toEqual({ fault: { code: 'EIO', message: 'EIO: i/o error, read' } })
  })

  it('throws what goes wrong with bytes that were read', () => {
    const defect = new RangeError('a defect')
    const results = [60, defect]
    const fill = () => {
      const result = results.shift()!
      if (typeof result !== 'number') throw result
      return result
    }
    expect(() => readFile({ fd: 7, enoughBytes: 100 }, fill)).toThrow(defect)
  })
})
