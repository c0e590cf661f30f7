/** Returns a call as a template for the editor, with the arguments as the first place to write. */
export function templateOfCall(call: string): string {
  const [, name, args, rest] = /^(\w+\()([^)]*)(\).*)$/.exec(call)!
  return args === '' ? call : `${name}#{${args}}${rest}`
}
