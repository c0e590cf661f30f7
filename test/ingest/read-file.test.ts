import { describe, expect, it } from 'vitest'
import { readFile } from '../../src/ingest/read-file.js'

const fault = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })

/** Gives these numbers of bytes one after the other; throws where there is an error. */
function filling(...pieces: (number | Error)[]) {
  const left = [...pieces]
  const fill = () => {
    const piece = left.shift()!
    if (piece instanceof Error) throw piece
    return piece
  }
  return { fill, left }
}

const file = { fd: 0, mostBytes: 100 }

describe('reading a file', () => {
  it('goes on until it has read enough, or has come to the end', () => {
    const enough = filling(60, 60, 60)
    expect([readFile(file, enough.fill), enough.left]).toEqual([{ bytes: 120 }, [60]])
    const exact = filling(100, 1)
    expect([readFile(file, exact.fill), exact.left]).toEqual([{ bytes: 100 }, [1]])
    const ended = filling(60, 0, 60)
    expect([readFile(file, ended.fill), ended.left]).toEqual([{ bytes: 60 }, [60]])
    expect(readFile(file, filling(0).fill)).toEqual({ bytes: 0 })
  })

  it('tells of a fault once nothing was read before it', () => {
    const broken = filling(60, fault, fault)
    expect(readFile(file, broken.fill)).toEqual({ bytes: 60 })
    expect(readFile(file, broken.fill)).toEqual({ fault: { code: 'EIO', message: 'EIO: i/o error, read' } })
  })
})
