import { describe, expect, test } from 'vitest'
import type { Attributes, Value } from '../../src/otlp/request.js'
import { asJson, asProtobuf } from './encode.js'
import { outcomeOf } from './outcome.js'

const map = (object: Record<string, Value>) => new Map(Object.entries(object))

/** Returns the metadata of a record with the attributes. Checks that both encodings agree. */
function metadataOf(attributes: Attributes): unknown {
  const request = [{ scopes: [{ records: [{ attributes }] }] }]
  const [line] = outcomeOf(asJson(request), 'json')
  expect(outcomeOf(asProtobuf(request), 'protobuf')).toEqual([line])
  return JSON.parse(line!).metadata
}

describe("OpenTelemetry's HTTP attributes", () => {
  test('are stored as what the queries read too', () => {
    expect(
      metadataOf([
        ['http.request.method', 'GET'],
        ['url.full', 'https://shop.example/rest/v1/todos?x=1'],
        ['url.path', '/rest/v1/todos'],
        ['http.response.status_code', 503n],
      ]),
    ).toEqual({
      http: { request: { method: 'GET' }, response: { status_code: 503 } },
      url: { full: 'https://shop.example/rest/v1/todos?x=1', path: '/rest/v1/todos' },
      request: { method: 'GET', url: 'https://shop.example/rest/v1/todos?x=1', path: '/rest/v1/todos' },
      response: { status_code: 503 },
    })
  })

  test('are read by their names before semantic conventions 1.21 too', () => {
    expect(
      metadataOf([
        ['http.method', 'GET'],
        ['http.url', 'https://shop.example/x?y'],
        ['http.target', '/x?y'],
        ['http.status_code', 404n],
      ]),
    ).toEqual({
      http: { method: 'GET', url: 'https://shop.example/x?y', target: '/x?y', status_code: 404 },
      request: { method: 'GET', url: 'https://shop.example/x?y', path: '/x' },
      response: { status_code: 404 },
    })
  })

  test('are read from the newer name if both are there, as during a migration', () => {
    expect(
      metadataOf([
        ['http.method', 'old'],
        ['http.request.method', 'new'],
        ['http.target', '/old'],
        ['url.path', '/new'],
      ]),
    ).toMatchObject({ request: { method: 'new', path: '/new' } })
  })

  test.each<[string, Attributes, object]>([
    [
      'replace nothing that is set',
      [
        ['request.method', 'PUT'],
        ['http.request.method', 'GET'],
        ['url.path', '/x'],
      ],
      { request: { method: 'PUT', path: '/x' }, http: { request: { method: 'GET' } }, url: { path: '/x' } },
    ],
    [
      'replace no null',
      [
        ['request.method', null],
        ['http.method', 'GET'],
      ],
      { request: { method: null }, http: { method: 'GET' } },
    ],
    [
      'join an attribute of several values',
      [
        ['request', map({ id: 'r' })],
        ['url', map({ path: '/x' })],
      ],
      { request: { id: 'r', path: '/x' }, url: { path: '/x' } },
    ],
    [
      'leave a place that a text or a list has',
      [
        ['request', 'GET /x'],
        ['response', [map({ id: 'r' })]],
        ['url.path', '/x'],
        ['http.status_code', 200n],
      ],
      { request: 'GET /x', response: [{ id: 'r' }], url: { path: '/x' }, http: { status_code: 200 } },
    ],
    ['copy no null', [['url.path', null]], { url: { path: null } }],
    [
      'are found by their whole key',
      [
        ['url', 'https://shop.example/x'],
        ['url.path', '/x'],
      ],
      { url: 'https://shop.example/x', 'url.path': '/x', request: { path: '/x' } },
    ],
    ['have other names besides', [['http.route', '/:id']], { http: { route: '/:id' } }],
  ])('%s', (_, attributes, metadata) => {
    expect(metadataOf(attributes)).toEqual(metadata)
  })
})
