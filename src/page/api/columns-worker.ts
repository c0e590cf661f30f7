/** Worker that parses answers: a large one would block the page. */
import { type Columns, columnsOf } from './columns.js'

/** Request to parse one answer. */
export interface ReadRequest {
  names: readonly string[]
  /** Receives the answer in parts, then null; the worker sends back the columns, or null if the answer is not valid. */
  port: MessagePort
}

addEventListener('message', ({ data: { names, port } }: MessageEvent<ReadRequest>) => {
  const decoder = new TextDecoder()
  let text = ''
  port.onmessage = ({ data: part }: MessageEvent<Uint8Array | null>) => {
    if (part !== null) {
      text += decoder.decode(part, { stream: true })
      return
    }
    const columns = parse(text, names)
    port.postMessage(
      columns,
      Object.values(columns ?? {}).map(({ buffer }) => buffer),
    )
    port.close()
  }
})

function parse(text: string, names: readonly string[]): Columns<string> | null {
  try {
    return columnsOf(text, names)
  } catch {
    return null
  }
}
