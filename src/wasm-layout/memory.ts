/**
 * Numbers that both WebAssembly modules and their hosts use. Like all files of this folder it is valid TypeScript and
 * valid AssemblyScript: it contains integer constants only, without types and imports. asc inlines them.
 */

/** Bytes after a range of text that the modules may read, and after a copy that they may overwrite. */
export const SLACK_BYTES = 64
