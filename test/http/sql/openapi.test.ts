import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { createTestApp, LOGS_ALL, STATS } from '../support.js'
import { COUNT, createSqlApp, sqlPath } from './support.js'

interface Description {
  paths: Record<string, { get: { parameters: { name?: string }[]; responses: Record<string, object> } }>
}

async function describe(get: ReturnType<typeof createSqlApp>['get']) {
  const description = (await (await get('/api/openapi.json')).json()) as Description
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema(description, 'description')
  const isValid = (path: string, status: number, json: unknown) => {
    const place = ['paths', path.replaceAll('/', '~1'), 'get', 'responses', status, 'content', 'application~1json']
    return ajv.validate({ $ref: `description#/${place.join('/')}/schema` }, json)
  }
  return { description, isValid }
}

test('the description has the parameter, the rows and both forms of errors of logs.all with SQL', async () => {
  const { get } = createSqlApp({ rows: () => [{ n: 1 }] })
  const { description, isValid } = await describe(get)
  const { valid, errors } = await new Validator().validate(structuredClone(description) as never)
  expect([valid, errors]).toEqual([true, undefined])
  expect(description.paths[LOGS_ALL]!.get.parameters.map(({ name }) => name)).toContain('sql')
  expect(isValid(LOGS_ALL, 200, await (await get(sqlPath(COUNT))).json())).toBe(true)
  for (const code of ['invalid_sql', 'unsupported_sql', 'invalid_pattern', 'missing_parameter']) {
    expect([code, isValid(LOGS_ALL, 400, { error: { message: 'x', code } })]).toEqual([code, true])
    expect([code, isValid(LOGS_ALL, 400, { error: 'x', code })]).toEqual([code, true])
  }
  expect(isValid(LOGS_ALL, 400, { error: { message: 'x', code: 'internal' } })).toBe(false)
  expect(isValid(STATS, 400, { error: { message: 'x', code: 'missing_parameter' } })).toBe(false)
})

test('without the setting it has none of them', async () => {
  const { description, isValid } = await describe(createTestApp().get)
  expect(description.paths[LOGS_ALL]!.get.parameters.map(({ name }) => name)).not.toContain('sql')
  expect(JSON.stringify(description.paths[LOGS_ALL])).not.toContain('unsupported_sql')
  expect(isValid(LOGS_ALL, 400, { error: { message: 'x', code: 'missing_parameter' } })).toBe(false)
  expect(isValid(LOGS_ALL, 200, { result: [{ n: 1 }] })).toBe(false)
})
