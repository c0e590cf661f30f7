/** Reads answers beside the page, which a large one would keep from its user. */
import { type Columns, columnsOf } from './columns.js'

/** One answer to be read. */
export interface Reading {
  names: readonly string[]
  /** Brings the answer in parts, and null behind the last; gets the columns, or null where they cannot be read. */
  port: MessagePort
}

addEventListener('message', ({ data: { names, port } }: MessageEvent<Reading>) => {
  const decoder = new TextDecoder()
  let text = ''
  port.onmessage = ({ data: part }: MessageEvent<Uint8Array | null>) => {
    if (part !== null) {
      text += decoder.decode(part, { stream: true })
      return
    }
    const columns = readable(text, names)
    port.postMessage(
      columns,
      Object.values(columns ?? {}).map(({ buffer }) => buffer),
    )
    port.close()
  }
})

function readable(text: string, names: readonly string[]): Columns<string> | null {
  try {
    return columnsOf(text, names)
  } catch {
    return null
  }
}
