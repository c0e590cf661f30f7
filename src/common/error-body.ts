/**
 * Returns the message of an error body in either form, `{"error":"text"}` or `{"error":{"message":"text"}}`, or
 * undefined if the body has neither form.
 */
export function messageOf(body: unknown): string | undefined {
  const error = memberOf(body, 'error')
  const message = typeof error === 'string' ? error : memberOf(error, 'message')
  return typeof message === 'string' ? message : undefined
}

/** Returns the code of an error body in either form, or undefined for no code. */
export function codeOf(body: unknown): string | undefined {
  const code = memberOf(body, 'code') ?? memberOf(memberOf(body, 'error'), 'code')
  return typeof code === 'string' ? code : undefined
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
