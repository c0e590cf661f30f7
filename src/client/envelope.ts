/**
 * Converts NDJSON to a single JSON document, `{"result":[row, …]}`, with a line per row, so that both JSON parsers and
 * line tools such as `head` can read the document. Rows are copied unchanged. If the answer ends early, the document is
 * incomplete.
 */
export async function* ndjsonToDocument(ndjson: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  // Written before the next row: the comma follows only if there is another row.
  let separator = '\n'
  yield '{"result":['
  for await (const chunk of ndjson) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    if (text === '') continue
    const endsRow = text.endsWith('\n')
    const rows = endsRow ? text.slice(0, -1) : text
    yield separator + rows.replaceAll('\n', ',\n')
    separator = endsRow ? ',\n' : ''
  }
  yield separator === '\n' ? ']}\n' : '\n]}\n'
}
