/** The reference of the paths that are no endpoints, and of the errors of all paths. */

import { QUERY_PATH } from '../../common/query-path.js'
import {
  codesOf,
  type Description,
  type ErrorCode,
  type Operation,
  type Parameter,
  parametersOf,
} from '../api/description.js'
import { element } from '../shared/dom.js'
import { copyLine } from './copy-line.js'
import { curlLine, urlOf } from './curl.js'

/** Errors of every path that needs a token, which are not repeated at each path. */
const COMMON = new Set(['unauthorized', 'forbidden', 'too_many_requests', 'starting'])

/** Returns the reference. */
export function referenceOf(description: Description): HTMLElement {
  const paths = Object.entries(description.paths).filter(([path]) => !path.startsWith(QUERY_PATH))
  const operations = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationOf(method, path, operation, description)),
  )
  return element(
    'div',
    { class: 'api-reference' },
    element('h2', {}, 'Other paths'),
    element(
      'p',
      { class: 'fine' },
      'All paths as OpenAPI 3.1, for tools: ',
      element('code', {}, 'GET /api/openapi.json'),
      ', with the token.',
    ),
    ...operations,
    element('h2', {}, 'Errors'),
    element(
      'p',
      { class: 'fine' },
      `Each path that needs a token can also answer ${[...COMMON].join(', ')}. An answer with 503 or 429 says in `,
      element('code', {}, 'Retry-After'),
      ' when to try again.',
    ),
    errorsOf(description.components['x-codes']),
  )
}

function operationOf(method: string, path: string, operation: Operation, description: Description): HTMLElement {
  const { summary, description: more = '', requestBody, responses } = operation
  const parameters = parametersOf(operation, description)
  const answers = Object.keys(responses[200]?.content ?? {})
  const codes = [...codesOf(operation)].filter((code) => !COMMON.has(code))
  const lines = [
    more,
    requestBody === undefined ? '' : `Body: ${Object.keys(requestBody.content).join(', ')}.`,
    answers.length === 0 ? '' : `Answer: ${answers.join(', ')}.`,
    codes.length === 0 ? '' : `Errors: ${codes.join(', ')}.`,
  ]
  const title = element('code', {}, `${method.toUpperCase()} ${path}`)
  return element(
    'details',
    { class: 'api-path' },
    element('summary', {}, title, ' ', element('span', {}, summary)),
    ...lines.filter((line) => line !== '').map((line) => element('p', {}, line)),
    ...(parameters.length === 0 ? [] : [parametersList(parameters)]),
    ...(method === 'get'
      ? [copyLine('curl', () => curlLine(urlOf(path, placeholders(parameters), document.baseURI)))]
      : []),
  )
}

/** Values to replace, for the parameters that a request must have. */
const placeholders = (parameters: readonly Parameter[]) =>
  Object.fromEntries(parameters.filter(({ required }) => required).map(({ name }) => [name, name.toUpperCase()]))

function parametersList(parameters: readonly Parameter[]): HTMLElement {
  const items = parameters.flatMap(({ name, in: place, required, description }) => {
    const what = `${place === 'header' ? 'header' : 'parameter'}${required ? ', required' : ''}`
    return [element('dt', {}, element('code', {}, name), ` ${what}`), element('dd', {}, description)]
  })
  return element('dl', {}, ...items)
}

function errorsOf(codes: readonly ErrorCode[]): HTMLElement {
  const heads = ['Status', 'Code', 'Meaning'].map((name) => element('th', { scope: 'col', class: 'text' }, name))
  const rows = codes.map(({ code, status, meaning }) =>
    element(
      'tr',
      {},
      element('td', {}, String(status)),
      element('td', {}, element('code', {}, code)),
      element('td', {}, meaning),
    ),
  )
  const table = element('table', {}, element('thead', {}, element('tr', {}, ...heads)), element('tbody', {}, ...rows))
  return element('div', { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': 'Errors' }, table)
}
