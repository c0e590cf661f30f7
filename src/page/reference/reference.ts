/** The API reference of the page, built from the service's OpenAPI description. */
import { get } from '../api/api.js'
import { byId, element } from '../shared/dom.js'

interface Parameter {
  name: string
  in: string
  description: string
  required?: boolean
}

interface Answer {
  description: string
  content?: Readonly<Record<string, { schema: { allOf?: { properties?: { code?: { enum: string[] } } }[] } }>>
}

interface Operation {
  summary: string
  description?: string
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: Readonly<Record<string, unknown>> }
  responses: Readonly<Record<string, Answer>>
}

interface Description {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: { parameters: Readonly<Record<string, Parameter>> }
}

/** Requests the description and shows it. Throws a Failure. */
export async function showReference(): Promise<void> {
  const description = (await (await get('api/openapi.json', {})).json()) as Description
  const { components, paths } = description
  const parameterOf = (given: Parameter | { $ref: string }) =>
    '$ref' in given ? components.parameters[given.$ref.split('/').at(-1)!]! : given
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => sectionOf(method, path, operation, parameterOf)),
  )
  byId('operations').replaceChildren(...operations)
}

function sectionOf(
  method: string,
  path: string,
  { summary, description = '', parameters = [], requestBody, responses }: Operation,
  parameterOf: (given: Parameter | { $ref: string }) => Parameter,
): HTMLElement {
  const title = element('summary', {}, element('code', {}, `${method.toUpperCase()} ${path}`), ` ${summary}`)
  const rows = parameters
    .map(parameterOf)
    .map(({ name, in: place, required, description: meaning }) => [
      element('code', {}, name),
      `${place === 'header' ? 'header' : 'parameter'}${required ? ', required' : ''}`,
      meaning,
    ])
  const answers = Object.entries(responses).map(([status, answer]) => [
    element('b', {}, status),
    [...Object.keys(answer.content ?? {})].join(', '),
    `${answer.description} ${codesOf(answer).join(', ')}`,
  ])
  const body =
    requestBody === undefined ? [] : [element('p', {}, `Body: ${Object.keys(requestBody.content).join(', ')}.`)]
  return element(
    'details',
    { class: 'operation' },
    title,
    element('p', {}, description),
    ...body,
    tableOf(rows),
    tableOf(answers),
  )
}

const codesOf = ({ content = {} }: Answer): string[] =>
  Object.values(content).flatMap(
    ({ schema }) => schema.allOf?.flatMap(({ properties }) => properties?.code?.enum ?? []) ?? [],
  )

function tableOf(rows: readonly (readonly (Node | string)[])[]): HTMLElement {
  const body = element('tbody')
  for (const cells of rows) body.append(element('tr', {}, ...cells.map((cell) => element('td', {}, cell))))
  return element(
    'div',
    { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': 'Parameters or answers' },
    element('table', {}, body),
  )
}
