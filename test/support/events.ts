/** An event of a stream of server-sent events, and the last id that was received by then. */
export interface ServerSentEvent {
  type: string
  data: string
  lastEventId: string
}

/** The state of a reader of a stream. */
export interface EventStream {
  events: ServerSentEvent[]
  comments: string[]
  lastEventId: string
  retryMs: number | undefined
}

/** Parses a stream as WHATWG's HTML standard says, in the simplest way: each time the whole stream from the start. */
export function parseEvents(text: string): EventStream {
  const stream: EventStream = { events: [], comments: [], lastEventId: '', retryMs: undefined }
  let [type, data]: [string, string[]] = ['', []]
  const lines = text.split(/\r\n|\r|\n/)
  // The text after the last line end is not a line yet.
  for (const line of lines.slice(0, -1)) {
    if (line === '') {
      if (data.length > 0) {
        stream.events.push({ type: type || 'message', data: data.join('\n'), lastEventId: stream.lastEventId })
      }
      ;[type, data] = ['', []]
      continue
    }
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (colon === 0) stream.comments.push(value)
    else if (field === 'event') type = value
    else if (field === 'data') data.push(value)
    else if (field === 'id' && !value.includes('\0')) stream.lastEventId = value
    else if (field === 'retry' && /^\d+$/.test(value)) stream.retryMs = Number(value)
  }
  return stream
}

/** A client that reads a stream of events from a response as fast as the server sends the stream. */
export interface EventReader {
  stream(): EventStream
  /** The ids of the records so far, in the order of receipt. */
  ids(): string[]
  /** Resolves when the stream has ended or broken. */
  ended: Promise<void>
  leave(): Promise<void>
}

export function readEvents(response: Response): EventReader {
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let text = ''
  const read = async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
    }
  }
  const records = () => parseEvents(text).events.filter(({ type }) => type === 'message')
  return {
    stream: () => parseEvents(text),
    ids: () => records().map(({ data }) => (JSON.parse(data) as { id: string }).id),
    ended: read().catch(() => {}),
    leave: () => reader.cancel().catch(() => {}),
  }
}
