/** The order of two values of which one is null, which comes last whatever the direction; undefined where neither is. */
export function nullsLast(isNull: boolean, isOtherNull: boolean): number | undefined {
  return isNull || isOtherNull ? Number(isNull) - Number(isOtherNull) : undefined
}
