/**
 * Rows of NDJSON as one JSON document, `{"result":[row, …]}`, with each row on a line of its own, so that both JSON parsers
 * and line tools such as `head` can read it. Rows are copied unchanged. If the answer breaks off, the document stays open.
 */
export async function* enveloped(ndjson: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  // Separates the next row from what is already written; a comma only if another row follows.
  let separator = '\n'
  yield '{"result":['
  for await (const chunk of ndjson) {
    const text = decoder.decode(chunk, { stream: true })
    if (text === '') continue
    const endsRow = text.endsWith('\n')
    const rows = endsRow ? text.slice(0, -1) : text
    yield separator + rows.replaceAll('\n', ',\n')
    separator = endsRow ? ',\n' : ''
  }
  yield separator === '\n' ? ']}\n' : '\n]}\n'
}
