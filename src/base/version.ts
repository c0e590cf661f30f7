import { readProgramFile } from './program-files.js'

/** The version of the program, from package.json. */
export const VERSION: string = JSON.parse(
  readProgramFile(new URL('../../package.json', import.meta.url)).toString(),
).version
