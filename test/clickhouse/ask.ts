import { request } from 'node:http'

/** The answer of a ClickHouse server. `code` is the code of the exception, undefined if there was none. */
export interface Reply {
  status: number
  text: string
  code?: number
}

/** The code at the start of the text of an exception. On old servers a comma follows, on new servers a full stop. */
const CODE = /^Code: (\d+)[.,]/

/**
 * Sends a statement to a server over HTTP: as the body, or with `data` as the body and the statement in the URL.
 * `parameters` are settings and other parameters of the interface. Rejects only if there is no answer.
 */
export function ask(
  url: string,
  sql: string,
  {
    parameters = {},
    data,
    headers,
  }: { parameters?: Record<string, string>; data?: Uint8Array; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const query = new URLSearchParams(data === undefined ? parameters : { ...parameters, query: sql })
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/?${query}`, { method: 'POST', headers }, async (response) => {
      const text = (await response.setEncoding('utf8').toArray()).join('')
      const code = response.statusCode === 200 ? undefined : Number(CODE.exec(text)?.[1])
      resolve({ status: response.statusCode!, text, code })
    })
    asked.on('error', reject).end(data ?? sql)
  })
}

/** Returns the rows of a query. Throws the text of the server on an error. */
export async function rows(url: string, sql: string): Promise<unknown[][]> {
  const parameters = {
    default_format: 'JSONCompact',
    wait_end_of_query: '1',
    output_format_json_quote_64bit_integers: '0',
  }
  const { status, text } = await ask(url, sql, { parameters })
  if (status !== 200) throw new Error(text)
  return (JSON.parse(text) as { data: unknown[][] }).data
}

/** Runs a statement without an answer. Throws the text of the server on an error. */
export async function command(url: string, sql: string): Promise<void> {
  const { status, text } = await ask(url, sql)
  if (status !== 200) throw new Error(text)
}
