import { expect, it } from 'vitest'
import { createExistingColumns } from '../../../../src/engine/clickhouse/schema/existing-columns.js'
import { tableColumns } from '../../../../src/engine/clickhouse/schema/table-names.js'
import type { Cell, Server } from '../../../../src/engine/clickhouse/server/clickhouse-server.js'

const ALL = tableColumns('auth_logs')
const OLD = ALL.filter(({ isLater }) => !isLater)
const rows = (columns: readonly { name: string }[]): Cell[][] => columns.map(({ name }) => [name])

/** Returns the columns of a server that gives the answers, and a clock for the columns. */
function columnsFrom(answers: readonly (Cell[][] | Error)[]) {
  const left = [...answers]
  let nowMs = 0
  const server = {
    async select() {
      const answer = left.shift()
      if (answer === undefined) throw new Error('the server is queried too often')
      if (answer instanceof Error) throw answer
      return answer
    },
  } as Partial<Server> as Server
  const location = { database: 'logweir' }
  const lacking: string[] = []
  const onLacking = (table: string, names: readonly string[]) => void lacking.push(`${table}: ${names.join(', ')}`)
  const columns = createExistingColumns({ server, location, onLacking, monotonicMs: () => nowMs })
  return {
    lacking,
    forget: () => columns.forget('auth_logs'),
    of: () => columns.of('auth_logs'),
    advance(ms: number) {
      nowMs += ms
    },
  }
}

it('are queried once if the table has all of them', async () => {
  const { of, advance } = columnsFrom([rows([...ALL, { name: 'of_somebody_else' }])])
  expect(await of()).toEqual(ALL)
  advance(1e9)
  expect(await of()).toEqual(ALL)
})

it('are queried again every three seconds until the table has all of them', async () => {
  const { of, advance, lacking } = columnsFrom([rows(OLD), rows(OLD), rows(ALL)])
  expect(await of()).toEqual(OLD)
  advance(2_999)
  expect(await of()).toEqual(OLD)
  advance(1)
  expect(await of()).toEqual(OLD)
  advance(3_000)
  expect(await of()).toEqual(ALL)
  advance(1e9)
  expect(await of()).toEqual(ALL)
  expect(lacking).toEqual(['logweir.auth_logs: level, status, path, method, in_metadata'])
})

it('are queried again after an insert failed', async () => {
  const { of, forget } = columnsFrom([rows(ALL), rows(OLD)])
  expect(await of()).toEqual(ALL)
  forget()
  expect(await of()).toEqual(OLD)
})

it('are all if there is no table, and those that it always had are never left out', async () => {
  const { of, forget } = columnsFrom([[], rows(ALL.filter(({ name }) => name !== 'id'))])
  expect(await of()).toEqual(ALL)
  forget()
  expect(await of()).toEqual(ALL)
})

it('are unknown while the server does not answer', async () => {
  const { of } = columnsFrom([new Error('away'), rows(OLD)])
  await expect(of()).rejects.toThrow('away')
  expect(await of()).toEqual(OLD)
})
