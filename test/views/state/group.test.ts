import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KeyBytes, readKeys } from '../../../src/engine/execute/columns/key-bytes.js'
import { Datetime, RawJson, type Scalar, Timestamp } from '../../../src/plan/values/values.js'
import {
  compareGroups,
  type GroupPlace,
  keyBytesOf,
  partsOfKey,
  projectKey,
  restKeysOf,
} from '../../../src/views/state/group.js'

const bytesOf = (...values: readonly Scalar[]) => {
  const bytes = new KeyBytes()
  for (const value of values) bytes.add(value)
  return Buffer.from(bytes.bytes.subarray(0, bytes.length))
}

const project = fc.oneof(fc.constantFrom(null, '', '__proto__'), fc.string({ unit: 'grapheme' }))
const keys = fc.array(fc.constantFrom<Scalar>(null, '', 'a', '…', 5, true, 2n ** 60n, new RawJson('{}'), [1]), {
  maxLength: 3,
})

describe('the keys of a group', () => {
  it('have parts, of which the whole can be made again', () => {
    fc.assert(
      fc.property(project, fc.integer(), keys, fc.nat(3), (project, bucketUs, others, start) => {
        const whole = bytesOf(project, new Timestamp(bucketUs), ...others)
        const bytes = Buffer.concat([Buffer.alloc(start, 0xff), whole])
        const parts = partsOfKey(bytes, start)
        expect(bytes.subarray(start, parts.projectEnd)).toEqual(projectKey(project))
        expect(parts.bucketUs).toBe(bucketUs)
        expect(readKeys(bytes.subarray(parts.keysStart), others.length)).toEqual(others)
        const place = { project: projectKey(project), bucketUs, keys: bytes.subarray(parts.keysStart), isRest: false }
        expect(keyBytesOf(place)).toEqual(whole)
      }),
    )
  })

  it('have the time of the bucket in the second place', () => {
    for (const other of [null, 5, 'a', new Datetime(0), new Timestamp(2n ** 60n)])
      expect(() => partsOfKey(bytesOf('p', other), 0)).toThrow('The second key of a view is the bucket of time.')
  })

  it('are `…` for texts and null for others where groups are the rest', () => {
    expect(readKeys(restKeysOf([true, false, true]), 3)).toEqual(['…', null, '…'])
    expect(restKeysOf([])).toHaveLength(0)
  })
})

describe('the order of groups', () => {
  const place: GroupPlace = { project: projectKey('p'), bucketUs: 0, keys: bytesOf('/b'), isRest: false }

  it('is by project, newest bucket, and keys, with the rest of a bucket at its end', () => {
    const ordered: GroupPlace[] = [
      { ...place, project: projectKey(null) },
      { ...place, project: projectKey(''), isRest: true },
      { ...place, bucketUs: 5, keys: bytesOf('/z') },
      { ...place, bucketUs: 5, keys: bytesOf('/'), isRest: true },
      { ...place, keys: bytesOf('/z') },
      { ...place, keys: bytesOf('/aa') },
      { ...place, keys: bytesOf('/'), isRest: true },
      { ...place, bucketUs: -5 },
      { ...place, project: projectKey('q'), bucketUs: 9 },
    ]
    const sign = (number: number) => Math.sign(number)
    for (const [i, a] of ordered.entries())
      for (const [j, b] of ordered.entries()) expect(sign(compareGroups(a, { ...b }))).toBe(sign(i - j))
  })

  it('is that of equal bytes, whichever memory has the bytes', () => {
    expect(compareGroups(place, { ...place, project: projectKey('p'), keys: bytesOf('/b') })).toBe(0)
  })
})
