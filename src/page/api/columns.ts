/** Columns of numbers by name, all of the same length. Null is NaN; times are in microseconds since 1970. */
export type Columns<Name extends string> = Readonly<Record<Name, Float64Array<ArrayBuffer>>>

/** Reads columns from the rows of an answer. Throws if the answer is not JSON of that form. */
export function columnsOf<Name extends string>(answer: string, names: readonly Name[]): Columns<Name> {
  const { result } = JSON.parse(answer) as { result: Readonly<Record<string, unknown>>[] }
  const columnOf = (name: Name) => Float64Array.from(result, (row) => numberOf(row[name]))
  return Object.fromEntries(names.map((name) => [name, columnOf(name)])) as Columns<Name>
}

/** Returns a number, or a time in UTC, `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SS[.fff]`, in microseconds; else NaN. */
export function numberOf(value: unknown): number {
  if (typeof value === 'string') return Date.parse(value.length === 10 ? value : `${value}Z`) * 1_000
  return typeof value === 'number' ? value : Number.NaN
}
