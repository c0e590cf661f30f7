import { expect, test } from 'vitest'
import { at, BY_PATH, createSubscribeApp, dataOf, namesOf, sqlPath } from './support.js'

const PATH = sqlPath(BY_PATH)
/** Rows that are long enough for changes of one of them. */
const FIRST = ['/a', '/b', '/c', '/d', '/e'].map((path) => at(path))

test('a client that reconnects goes on with the changes since', async () => {
  const { follow, bring, pass, ask } = createSubscribeApp()
  await bring(...FIRST)
  const other = await follow(PATH)
  const client = await follow(PATH)
  await client.leave()
  for (const path of ['/a', '/b']) {
    await bring(at(path))
    await pass(300)
  }
  const again = await follow(PATH, client.kept())
  expect(dataOf(again)).toEqual([
    { upsert: [{ path: '/a', n: 2 }], delete: [] },
    { upsert: [{ path: '/b', n: 2 }], delete: [] },
  ])
  expect(again.rows().sort()).toEqual((await ask(PATH)).sort())
  expect(again.kept().lastId).toBe(other.kept().lastId)
})

test('a client that has the newest state is sent nothing until the next change', async () => {
  const { follow, bring, pass } = createSubscribeApp()
  await bring(...FIRST)
  const client = await follow(PATH)
  await client.leave()
  const again = await follow(PATH, client.kept())
  expect(again.events).toEqual([])
  await bring(at('/e'))
  await pass(300)
  expect(namesOf(again)).toEqual(['change'])
})

test('an answer that nobody followed for a while is brought up to date by a change', async () => {
  const { follow, bring, pass, evaluations } = createSubscribeApp()
  await bring(...FIRST)
  const client = await follow(PATH)
  await client.leave()
  await bring(at('/a'))
  const before = await evaluations()
  await pass(20_000)
  expect(await evaluations()).toBe(before)
  expect(dataOf(await follow(PATH, client.kept()))).toEqual([{ upsert: [{ path: '/a', n: 2 }], delete: [] }])
})

test.each([
  ['of another query', async () => undefined],
  ['that is kept no longer', async ({ pass }: ReturnType<typeof createSubscribeApp>) => pass(31_000)],
])('an id %s gets a snapshot', async (what, wait) => {
  const app = createSubscribeApp()
  await app.bring(...FIRST)
  const client = await app.follow(PATH)
  await client.leave()
  await wait(app)
  const path = what === 'of another query' ? sqlPath(`${BY_PATH} having n > 0`) : PATH
  expect(namesOf(await app.follow(path, client.kept()))).toEqual(['snapshot'])
})

test('any other id gets a snapshot, never an error', async () => {
  const { follow, bring } = createSubscribeApp()
  await bring(...FIRST)
  const id = (await follow(PATH)).kept().lastId!
  const [process, number, query] = id.split('.')
  const wrong = [
    '',
    '1',
    'ü'.slice(1),
    `${id} `.trim().replace('.1.', '.2.'),
    `${process}.0.${query}`,
    '1.2.3',
    `${number}`,
  ]
  const others = [`000000000000.1.${query}`, `${process}.1.000000000000`, `${process}.99999999999999999999.${query}`]
  for (const lastId of [...wrong, ...others]) {
    const client = await follow(PATH, { rows: new Map(), key: undefined, lastId })
    expect([lastId, namesOf(client)]).toEqual([lastId, ['snapshot']])
  }
})

test('the id of a state whose changes are longer than the whole gets a snapshot', async () => {
  const { follow, bring, pass } = createSubscribeApp({ limits: { changesBytes: 0 } })
  await bring(at('/a'), at('/b'))
  await follow(PATH)
  const client = await follow(PATH)
  await client.leave()
  for (let i = 0; i < 5; i++) {
    await bring(at('/a'))
    await pass(300)
  }
  expect(dataOf(await follow(PATH, client.kept()))).toMatchObject([{ result: [{ n: 6 }, { n: 1 }] }])
})

test('an answer whose rows share a key is sent whole, without a key', async () => {
  // Two integers that JSON in JavaScript does not tell apart.
  const { follow, bring, pass } = createSubscribeApp()
  const sql = 'select big, count(*) as n from edge_logs group by big'
  const big = (n: string) => ({ metadata: `{"big":${n}}` })
  await bring(big('9007199254740993'))
  const client = await follow(sqlPath(sql))
  await bring(big('9007199254740992'))
  await pass(300)
  expect(client.events.map(({ data }) => 'key' in data)).toEqual([true, false])
  expect(client.rows()).toHaveLength(2)
})

test("500 and '500' are different keys, and null is one", async () => {
  const { follow, bring, pass, ask } = createSubscribeApp()
  const path = sqlPath('select code, count(*) as n from edge_logs group by code')
  const code = (value: unknown) => ({ metadata: { code: value } })
  await bring(...[500, '500', null, 1, 2, 3].map(code))
  const client = await follow(path)
  await bring(code('500'), code(null), { metadata: {} })
  await pass(300)
  expect(namesOf(client)).toEqual(['snapshot', 'change'])
  expect(client.rows().sort()).toEqual((await ask(path)).sort())
})
