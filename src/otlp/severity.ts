/** Names of SeverityNumber in opentelemetry-proto: six levels of four steps each, numbered from 1. */
const NAMES = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'].flatMap((level) => [
  level,
  `${level}2`,
  `${level}3`,
  `${level}4`,
])
const NUMBERS = new Map(['UNSPECIFIED', ...NAMES].map((name, number) => [name, number]))

/** Returns the number of a severity such as `SEVERITY_NUMBER_INFO2` or `Info2`. Undefined if OTLP has no such name. */
export const severityNumberOf = (name: string): number | undefined =>
  NUMBERS.get(name.toUpperCase().replace(/^SEVERITY_NUMBER_/, ''))
