/**
 * Numbers that both WebAssembly modules and their hosts use. Like all files of this folder, this file is valid
 * TypeScript and valid AssemblyScript: only integer constants, without types and imports. asc inlines the constants.
 */

/** Bytes after a range of text that the modules may read, and after a copy that the modules may overwrite. */
export const SLACK_BYTES = 64
