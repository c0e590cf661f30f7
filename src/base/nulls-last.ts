/** Compares two values if one is null: nulls sort last in either direction. Returns undefined if neither is null. */
export function nullsLast(isNull: boolean, isOtherNull: boolean): number | undefined {
  return isNull || isOtherNull ? Number(isNull) - Number(isOtherNull) : undefined
}
