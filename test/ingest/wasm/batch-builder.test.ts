import { type Data, RecordBatchReader, tableFromIPC } from 'apache-arrow'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { batchSchema } from '../../../src/common/columns.js'
import { acceptedSources } from '../../../src/common/sources.js'
import { bitsInMetadata } from '../../support/in-metadata.js'
import { NOW_US, parse, rowsOf } from '../parsing.js'

const line = (record: object) => JSON.stringify(record)

describe('a batch', () => {
  it.each(
    acceptedSources().map(({ name }) => name),
  )('of %s is one record batch of its schema, at the start of its memory', (source) => {
    const { batches } = parse(`${line({ source, id: 'a' })}\n${line({ source, id: 'b', project: 'p' })}`)
    expect(batches).toHaveLength(1)
    const { rows, ipc } = batches[0]!
    const recordBatches = [...RecordBatchReader.from(ipc)]
    expect(recordBatches.map(({ numRows }) => numRows)).toEqual([2])
    expect(rows).toBe(2)
    expect(String(recordBatches[0]!.schema)).toBe(String(batchSchema(source)))
    expect(recordBatches[0]!.schema.fields.map(({ nullable }) => nullable)).toEqual(
      batchSchema(source).fields.map(({ nullable }) => nullable),
    )
    expect(ipc.byteOffset).toBe(0)
  })

  it('has its memory for itself', () => {
    const records = ['a', 'b', 'c', 'd', 'e'].map((id, i) => line({ source: i % 2 ? 'auth_logs' : 'edge_logs', id }))
    const { batches } = parse(records.join('\n'), { batchRows: 2 })
    expect(batches).toHaveLength(3)
    expect(new Set(batches.map(({ ipc }) => ipc.buffer)).size).toBe(3)
  })

  it('writes -1 and NaN under null bits', () => {
    const relay = (metadata: object) => line({ source: 'function_edge_logs', metadata })
    const text = [
      relay({ project_ref: 'p', execution_time_ms: 1 }),
      relay({ function_id: 'f', response: { status_code: 2 } }),
    ]
    const table = tableFromIPC(parse(text.join('\n')).batches[0]!.ipc)
    const data = (name: string): Data => table.getChild(name)!.data[0]!
    expect([...data('project').values]).toEqual([0, -1])
    expect([...data('function_id').values]).toEqual([-1, 0])
    expect([...data('execution_time_ms').values]).toEqual([1, Number.NaN])
    expect([...data('status_code').values]).toEqual([Number.NaN, 2])
    expect(['project', 'function_id', 'execution_time_ms', 'status_code'].map((name) => data(name).nullCount)).toEqual([
      1, 1, 1, 1,
    ])
    expect(data('execution_time_ms').getValid(0)).toBe(true)
    expect(data('execution_time_ms').getValid(1)).toBe(false)
  })

  it('holds each text of a dictionary once, and none of the batch before', () => {
    const records = ['a', 'b', 'a', 'c', 'c', 'd'].map((project) => line({ source: 'edge_logs', project }))
    const { batches } = parse(records.join('\n'), { batchRows: 3 })
    const dictionaries = batches.map(({ ipc }) => [...tableFromIPC(ipc).getChild('project')!.data[0]!.dictionary!])
    expect(dictionaries).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
  })

  it('goes out at its bounds, per source, in order', () => {
    const records = Array.from({ length: 10 }, (_, i) =>
      line({ source: i % 2 ? 'auth_logs' : 'edge_logs', id: `${i}` }),
    )
    const sizes = (options: object) =>
      parse(records.join('\n'), options).batches.map(({ source, rows }) => [source, rows])
    expect(sizes({ batchRows: 2 })).toEqual([
      ['edge_logs', 2],
      ['auth_logs', 2],
      ['edge_logs', 2],
      ['auth_logs', 2],
      ['edge_logs', 1],
      ['auth_logs', 1],
    ])
    expect(sizes({ batchBytes: 9 })).toEqual([
      ['edge_logs', 3],
      ['auth_logs', 3],
      ['edge_logs', 2],
      ['auth_logs', 2],
    ])
  })

  it('reads back what went in', () => {
    const text = fc.string({ unit: 'grapheme' })
    const maybe = fc.option(text)
    const number = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }))
    const record = fc.record({
      id: text,
      project_ref: maybe,
      function_id: maybe,
      execution_time_ms: number,
      event_message: text,
      agoUs: fc.nat(),
    })
    fc.assert(
      fc.property(fc.array(record, { maxLength: 40 }), (records) => {
        const lines = records.map(({ id, event_message, agoUs, ...metadata }) =>
          line({ source: 'function_edge_logs', id, event_message, timestamp: NOW_US - agoUs, metadata }),
        )
        const rows = parse(lines.join('\n'), { batchRows: 17 }).batches.flatMap(rowsOf)
        expect(rows).toEqual(
          records.map(({ id, event_message, agoUs, project_ref, function_id, execution_time_ms }) => ({
            source: 'function_edge_logs',
            timestamp: BigInt(NOW_US - agoUs),
            project: project_ref,
            function_id,
            execution_time_ms: execution_time_ms === 0 ? expect.any(Number) : execution_time_ms,
            status_code: null,
            'request.method': null,
            in_metadata: bitsInMetadata('function_edge_logs', line({ execution_time_ms })),
            id,
            event_message,
            metadata: line({ project_ref, function_id, execution_time_ms }),
          })),
        )
      }),
    )
  })
})
