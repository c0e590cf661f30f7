/**
 * A failure that its receiver can act on: a stable code in snake_case, and a message that says
 * what is wrong, where, and how to mend it. Anything else that is thrown is a defect.
 */
export class LogweirError<Code extends string = string> extends Error {
  readonly code: Code
  constructor(code: Code, message: string) {
    super(message)
    this.name = 'LogweirError'
    this.code = code
  }
}
