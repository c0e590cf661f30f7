import { request } from 'node:http'

/** What a ClickHouse server said; `code` is that of its exception, undefined where there was none. */
export interface Said {
  status: number
  text: string
  code?: number
}

/** The code that begins the text of an exception: old servers put a comma after it, newer ones a full stop. */
const CODE = /^Code: (\d+)[.,]/

/**
 * Asks a server over HTTP. Without `data` the statement is the body; with it the statement is in the URL and the data are
 * the body. `parameters` are settings and whatever else the interface takes. Rejects only where nothing answers.
 */
export function ask(
  url: string,
  sql: string,
  {
    parameters = {},
    data,
    headers,
  }: { parameters?: Record<string, string>; data?: Uint8Array; headers?: Record<string, string> } = {},
): Promise<Said> {
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

/** The rows of a question; throws what the server says otherwise. */
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

/** Runs a statement that answers nothing; throws what the server says otherwise. */
export async function command(url: string, sql: string): Promise<void> {
  const { status, text } = await ask(url, sql)
  if (status !== 200) throw new Error(text)
}
