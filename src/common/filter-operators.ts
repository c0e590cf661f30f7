/** The comparisons of a filter, in the order of the documentation. */
export const FILTER_OPERATORS = [
  ...(['=', '!=', '<', '<=', '>', '>='] as const),
  ...(['in', 'not_in', 'exists', 'missing', 'contains', 'matches'] as const),
] as const

/** A comparison of a filter. */
export type FilterOperator = (typeof FILTER_OPERATORS)[number]
