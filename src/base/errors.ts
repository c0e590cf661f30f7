/**
 * An error that the caller or user can act on: a stable code in snake_case, and a message with the fault, the place and
 * the remedy. Any other error that is thrown is a defect.
 */
export class LogweirError<Code extends string = string> extends Error {
  readonly code: Code
  constructor(code: Code, message: string) {
    super(message)
    this.name = 'LogweirError'
    this.code = code
  }
}
