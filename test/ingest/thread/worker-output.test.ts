import { MessageChannel } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { createWorkerOutput } from '../../../src/ingest/thread/worker-output.js'

it('stores returned memory of up to 64 MiB until it is used or released, and frees the rest', () => {
  const output = createWorkerOutput(new MessageChannel().port1)
  const pieces = Array.from({ length: 14 }, () => new Uint8Array(5 * MIB))
  expect([output.holdsMemory(), output.memory()]).toEqual([false, undefined])
  for (const piece of pieces) output.recycle(piece)
  const bytes = () => pieces.map(({ byteLength }) => byteLength / MIB)
  expect(bytes()).toEqual([...Array(12).fill(5), 0, 0])
  expect(output.memory()).toBe(pieces[11])
  output.recycle(new Uint8Array(5 * MIB))
  output.recycle(pieces[11]!)
  expect([output.holdsMemory(), pieces[11]!.byteLength]).toEqual([true, 0])
  output.releaseMemory()
  expect(bytes()).toEqual(Array(14).fill(0))
  expect([output.holdsMemory(), output.memory()]).toEqual([false, undefined])
  const last = new Uint8Array(60 * MIB)
  output.recycle(last)
  expect(output.memory()).toBe(last)
})
