/** Returns the query string of a URL: the part between question mark and fragment. */
export function searchOf(url: string): string {
  const fragment = url.indexOf('#')
  const whole = fragment < 0 ? url : url.slice(0, fragment)
  const mark = whole.indexOf('?')
  return mark < 0 ? '' : whole.slice(mark + 1)
}

/** Whether a query string has a parameter with a value that is not empty. */
export const isGiven = (search: string, name: string): boolean =>
  new URLSearchParams(search).getAll(name).some((value) => value !== '')
