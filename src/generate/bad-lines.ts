/** Lines that the ingest rejects whatever the stream's default source, each with the reason. */
export const BAD_LINES: readonly (readonly [reason: string, line: string])[] = [
  ['invalid_json', '{"source":"edge_logs","id":"cut short","event_mess'],
  ['not_an_object', '["edge_logs","an array"]'],
  ['unknown_source', '{"source":"nginx_logs","id":"unknown source","event_message":"GET /"}'],
  ['invalid_field', '{"source":"edge_logs","id":42,"event_message":"a numeric id"}'],
  ['invalid_timestamp', '{"source":"edge_logs","id":"no such day","timestamp":"2026-02-30T10:00:00Z"}'],
  ['too_old', '{"source":"edge_logs","id":"too old","timestamp":"2001-09-09T01:46:40Z"}'],
  ['too_far_ahead', '{"source":"edge_logs","id":"too far ahead","timestamp":"2199-01-01T00:00:00Z"}'],
  ['too_deep', `{"source":"edge_logs","id":"too deep","metadata":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`],
]
