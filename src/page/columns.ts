/** Columns of numbers, all of one length, by name. What is null is NaN; times are in microseconds. */
export type Columns<Name extends string> = Readonly<Record<Name, Float64Array<ArrayBuffer>>>

/** Reads columns of the rows of an answer in JSON. Throws where it is none. */
export function columnsOf<Name extends string>(answer: string, names: readonly Name[]): Columns<Name> {
  const { result } = JSON.parse(answer) as { result: Readonly<Record<string, unknown>>[] }
  const columnOf = (name: Name) => Float64Array.from(result, (row) => numberOf(row[name]))
  return Object.fromEntries(names.map((name) => [name, columnOf(name)])) as Columns<Name>
}

/** Texts are times, as `YYYY-MM-DDTHH:MM:SS`, UTC. */
function numberOf(value: unknown): number {
  if (typeof value === 'string') return Date.parse(`${value}Z`) * 1_000
  return typeof value === 'number' ? value : Number.NaN
}
