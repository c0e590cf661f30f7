/** The forms of error bodies: `flat` is `{"error","code"}`, `nested` is Logflare's `{"error":{"message","code"}}`. */
export type ErrorForm = 'flat' | 'nested'

/** Returns an error as JSON in the given form. The members of `more` follow at the top level. */
export function errorJson(
  { message, code }: { message: string; code: string },
  form: ErrorForm,
  more?: object,
): string {
  return JSON.stringify(form === 'flat' ? { error: message, code, ...more } : { error: { message, code }, ...more })
}
