import { STACK_PROJECT } from './vector-events.js'

/** Sends a request to the analytics service, by path and query string. */
export type Ask = (path: string, headers: Record<string, string>) => Promise<Response>

/** A row of an answer. */
// biome-ignore lint/suspicious/noExplicitAny: rows are any JSON
export type Row = Record<string, any>

/** The answer of Studio's server to the browser: rows, or the text of an error. */
export interface Reply {
  rows: Row[]
  error: string | undefined
}

/** Asks an endpoint as Studio's server does for a page in the browser. */
export type StudioServer = (endpoint: string, params: Record<string, string>) => Promise<Reply>

/**
 * Returns Studio's server of a self-hosted Supabase. The server sends every parameter of the page on, next to the
 * project, and the private token in a header. The server reads the body as JSON whatever the status is. If the status
 * is no success, the server shows the text at error.message, or without a text only the status.
 */
export function createStudioServer(ask: Ask, token: string): StudioServer {
  return async (endpoint, params) => {
    const search = new URLSearchParams({ project: STACK_PROJECT, ...params })
    const response = await ask(`/api/endpoints/query/${endpoint}?${search}`, {
      'x-api-key': token,
      'content-type': 'application/json',
      accept: 'application/json',
    })
    const body = (await response.json()) as { result?: Row[]; error?: { message?: string } }
    if (response.ok) return { rows: body.result ?? [], error: undefined }
    return { rows: [], error: body.error?.message ?? `Failed to retrieve analytics data: ${response.statusText}` }
  }
}
