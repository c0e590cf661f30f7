import { afterEach, describe, expect, it, vi } from 'vitest'
import { computedFrame, mappedFrame } from '../../../../src/engine/execute/expressions/computed-frame.js'
import { createEvaluate } from '../../../../src/engine/execute/expressions/evaluate.js'
import type { Frame } from '../../../../src/engine/execute/expressions/frame.js'
import { codedOf, isCold } from '../../../../src/engine/execute/expressions/vector.js'
import { atLeast, contains } from '../../../../src/plan/builder.js'
import { call, column, type Expression, literal } from '../../../../src/plan/expression.js'
import type { Cell } from '../../../../src/plan/functions/function.js'
import { FUNCTIONS, type FunctionName } from '../../../../src/plan/functions/table.js'
import { Datetime, type Scalar, Timestamp } from '../../../../src/plan/values/values.js'
import { edge } from '../../../support/records.js'
import { frameOf, loadRange, ofKind, openBatch, sealedBatch } from '../../store/support.js'

afterEach(() => void vi.restoreAllMocks())

/** Counts how often a function is applied from now on, once for each position or entry. */
function counted(fn: FunctionName): { times: number } {
  const { bind } = FUNCTIONS[fn]
  const calls = { times: 0 }
  vi.spyOn(FUNCTIONS[fn], 'bind').mockImplementation((cells, constants) => {
    const cell: Cell = bind(cells, constants)
    return (position) => {
      calls.times++
      return cell(position)
    }
  })
  return calls
}

const request = (url: string | undefined, status?: number, timestampUs = 0) =>
  edge({ timestampUs, metadata: { request: { url, path: url }, response: { status_code: status } } })

const URLS = ['A', 'B', 'A', undefined, 'A', 'B', undefined, 'A']
const requests = URLS.map((url, i) => request(url, 200 + i, i))
/** Sealed rows. Equal texts have one entry. */
const sealedFrame = async (): Promise<Frame> => {
  const batch = await sealedBatch(requests)
  return frameOf(batch, 'edge_logs', batch.projectRows('a'))
}
const computed = (columns: Readonly<Record<string, readonly Scalar[]>>) =>
  computedFrame(Object.values(columns)[0]!.length, new Map(Object.entries(columns)))

const valuesOf = (frame: Frame, expression: Expression) => {
  const { at } = createEvaluate(frame)(expression)
  return Array.from({ length: frame.rows }, (_, position) => at(position))
}
const url = column('url')

describe('an expression over one dictionary', () => {
  it('is evaluated once for each entry, however many rows have it', async () => {
    const frame = await sealedFrame()
    const calls = counted('lower')
    const vector = createEvaluate(frame)(call('concat', call('lower', url), literal('!'), url))
    const { at } = ofKind(vector, 'entries')
    expect(calls.times).toBe(0)
    for (let round = 0; round < 3; round++) {
      expect(URLS.map((_, position) => at(position))).toEqual(
        URLS.map((text) => (text === undefined ? null : `${text.toLowerCase()}!${text}`)),
      )
    }
    // A, B, and absent.
    expect(calls.times).toBe(3)
  })

  it('is evaluated for the entries of rows that are read, and for no others', async () => {
    const frame = await sealedFrame()
    const calls = counted('lower')
    const { at } = createEvaluate(frame)(call('lower', url))
    expect([at(0), at(2), at(0)]).toEqual(['a', 'a', 'a'])
    expect(calls.times).toBe(1)
  })

  it('fails in the rows that have the failing entry alone, and evaluates that once too', async () => {
    const frame = await sealedFrame()
    const calls = counted('cast_int64')
    const cast = call('cast_int64', call('replace', url, literal('A'), literal('1')))
    const { at } = createEvaluate(frame)(cast)
    expect([at(0), at(2), at(3)]).toEqual([1, 1, null])
    const failure = expect.objectContaining({ code: 'invalid_sql' })
    for (const position of [1, 5, 1]) expect(() => at(position)).toThrow(failure)
    expect(at(4)).toBe(1)
    expect(calls.times).toBe(3)
  })

  it('gives the path in a URL as bytes of the entry', async () => {
    const batch = await sealedBatch([request('http://h/a?b'), request(undefined)])
    const { at, codes, bytesOf } = ofKind(createEvaluate(frameOf(batch, 'edge_logs'))(call('url_path', url)), 'entries')
    const bytes = [0, 1].map((row) => bytesOf!(codes[row]!)?.toString())
    expect(bytes).toEqual([0, 1].map((row) => at(row) ?? undefined))
    expect(bytes.toSorted()).toEqual(['/a', undefined])
  })

  it('over small integers is evaluated once for each, and leaves nothing at the column', async () => {
    const batch = await sealedBatch([200, 404, 200, undefined].map((status) => request(undefined, status)))
    const calls = counted('sub')
    const status = column('status_code')
    const [one, other] = [createEvaluate(frameOf(batch, 'edge_logs')), createEvaluate(frameOf(batch, 'edge_logs'))]
    const { at } = one(call('sub', status, literal(1)))
    const values = [0, 1, 2, 3, 0].map((row) => at(row))
    expect(values.toSorted()).toEqual([199, 199, 199, 403, null].toSorted())
    expect(calls.times).toBe(3)
    expect(codedOf(one(status))).not.toBe(codedOf(other(status)))
    expect(codedOf(one(status))!.codes).toBe(codedOf(other(status))!.codes)
  })

  it('of another column too is evaluated row by row', async () => {
    const frame = await sealedFrame()
    const { kind, at } = createEvaluate(frame)(call('concat', url, column('project')))
    expect([kind, at(1), at(3)]).toEqual(['computed', 'Ba', null])
  })
})

describe('an expression', () => {
  it('is evaluated when a value is read', () => {
    const calls = counted('add')
    const frame = computed({ x: [1, 2] })
    const { at } = createEvaluate(frame)(call('add', column('x'), literal(1)))
    expect(calls.times).toBe(0)
    expect([at(1), calls.times]).toEqual([3, 1])
  })

  it('that two others share is evaluated once for a row', () => {
    const calls = counted('sub')
    const shared = call('sub', column('x'), literal(1))
    const evaluate = createEvaluate(computed({ x: [5, 7] }))
    const [sum, product] = [call('add', shared, shared), call('mul', shared, shared)].map((one) => evaluate(one))
    expect([sum!.at(0), product!.at(0), sum!.at(1), product!.at(1)]).toEqual([8, 16, 12, 36])
    expect(calls.times).toBe(2)
    expect(evaluate(shared)).toBe(evaluate(shared))
  })

  it('of constants is one, evaluated once and only if it is read', () => {
    const calls = counted('div')
    const frame = computed({ x: [null, 1] })
    const zero = call('div', literal(1), literal(0))
    const evaluate = createEvaluate(frame)
    expect(evaluate(call('mul', literal(2), literal(3)))).toMatchObject({ kind: 'constant' })
    const guarded = evaluate(call('if', call('is_null', column('x')), literal(0), zero))
    expect(guarded.at(0)).toBe(0)
    for (let i = 0; i < 3; i++) expect(() => guarded.at(1)).toThrow(expect.objectContaining({ code: 'invalid_sql' }))
    expect(calls.times).toBe(1)
  })

  it('of an unknown column is a defect of the plan', () => {
    const unknown = () => createEvaluate(computed({ x: [1] }))(call('lower', column('y')))
    expect(unknown).toThrow(new TypeError('The rows have no column y.'))
  })
})

describe('what is not evaluated', () => {
  const failing = call('div', literal(1), column('x'))
  const positive = call('gt', failing, literal(0))
  const isZero = call('eq', column('x'), literal(0))
  const frame = computed({ x: [0, 2] })

  it.each<[string, Expression, Scalar[]]>([
    ['the other branch of if', call('if', isZero, literal(0), failing), [0, 0.5]],
    ['a later case', call('case', isZero, literal(0), positive, literal(1)), [0, 1]],
    ['what is behind a value of coalesce', call('coalesce', call('nullif', literal(1), column('x')), failing), [1, 1]],
    ['what is behind a true of or', call('or', isZero, positive), [true, true]],
    ['what is behind a false of and', call('and', call('not', isZero), positive), [false, true]],
  ])('raises no error: %s', (_, expression, expected) => {
    expect(valuesOf(frame, expression)).toEqual(expected)
    expect(() => createEvaluate(frame)(failing).at(0)).toThrow(expect.objectContaining({ code: 'invalid_sql' }))
  })
})

describe('the vector of an expression', () => {
  const vectorOf = async (expression: Expression) => createEvaluate(await sealedFrame())(expression)
  const time = column('timestamp')

  it('tells operators of buckets of the stored timestamp', async () => {
    const bucketOf = async (expression: Expression) => ofKind(await vectorOf(expression), 'spans').bucket
    const bucket = await bucketOf(call('timestamp_trunc', time, literal('minute')))
    expect([bucket.startOf(60_000_001), bucket.endOf(60_000_000)]).toEqual([60_000_000, 120_000_000])
    expect(bucket.valueOf(5)).toEqual(new Timestamp(5))
    const datetimes = await bucketOf(call('datetime_trunc', time, literal('day')))
    expect(datetimes.valueOf(5)).toEqual(new Datetime(5))
    const bySevens = await bucketOf(call('timestamp_bucket', time, literal(7)))
    expect([bySevens.endOf(0), bySevens.startOf(-1), bySevens.startOf(14)]).toEqual([7, -7, 14])
    expect(bySevens.valueOf(7)).toEqual(new Timestamp(7))
  })

  it.each([
    call('timestamp_trunc', time, literal('month')),
    call('timestamp_bucket', call('time_add', time, literal(1), literal('day')), literal(5)),
    call('timestamp_trunc', call('time_add', time, literal(1), literal('day')), literal('day')),
  ])('has no bucket of %j', async (expression) => {
    expect((await vectorOf(expression)).kind).toBe('computed')
  })

  it('tells operators of conditions that they can count', async () => {
    const testOf = async (expression: Expression) => ofKind(await vectorOf(expression), 'bits').test
    expect(await testOf(atLeast('status_code', 203))).toMatchObject({ kind: 'atLeast', least: 203 })
    expect(await testOf(contains('path', '/auth'))).toMatchObject({ kind: 'area', bit: 4 })
    for (const other of [
      call('ge', column('status_code'), literal('203')),
      call('ge', literal(203), column('status_code')),
      call('ge', call('add', column('status_code'), literal(1)), literal(203)),
      call('gt', column('status_code'), literal(203)),
    ]) {
      expect((await vectorOf(other)).kind).toBe('entries')
    }
    const { at } = await vectorOf(atLeast('status_code', 203))
    expect(URLS.map((_, i) => at(i))).toEqual(URLS.map((_, i) => i >= 3))
  })

  it('is cold if it needs a cold column, which must be loaded', async () => {
    const frame = await sealedFrame()
    const vector = createEvaluate(frame)(call('concat', column('event_message'), url))
    expect(isCold(vector)).toBe(true)
    expect(isCold(await vectorOf(call('lower', url)))).toBe(false)
    await loadRange(frame, 1, 3)
    expect(vector.at(1)).toMatch(/B$/)
  })
})

describe('the column of areas', () => {
  it('knows each of four areas, of other frames over it too', async () => {
    const paths = ['/rest/x', '/auth', undefined, '/storage/rest', '/realtime', '/']
    const batch = openBatch(paths.map((path) => request(path)))
    const whole = frameOf(batch, 'edge_logs')
    const positions = Uint32Array.of(3, 3, 0, 2)
    const mapped = mappedFrame(whole, positions)
    for (const area of ['/rest', '/storage', '/auth', '/realtime']) {
      const holds = paths.map((path) => path?.includes(area) ?? false)
      expect(valuesOf(whole, contains('path', area))).toEqual(holds)
      expect(valuesOf(mapped, contains('path', area))).toEqual([...positions].map((position) => holds[position]))
    }
  })

  it.each([
    contains('path', '/other'),
    call('contains', column('path'), column('url')),
    call('eq', column('path'), literal('/rest')),
    call('lower', column('path')),
  ])('refuses %j', (expression) => {
    const frame = frameOf(openBatch([request('/rest')]), 'edge_logs')
    expect(() => createEvaluate(frame)(expression)).toThrow(
      new TypeError('The column path can be asked only whether it contains one of /rest, /storage, /auth, /realtime.'),
    )
  })
})
