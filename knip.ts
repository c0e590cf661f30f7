/**
 * Finds dead code: files that nothing reaches, exports that no other file imports, packages that nothing uses. With
 * `--production`, only the program counts, so that code that only tests call is found too.
 */
const isProduction = process.argv.includes('--production')

export default {
  // Node, rolldown and AssemblyScript load these by their addresses. `!` marks the files of the program.
  entry: [
    'src/page/main.ts!',
    'src/executable.ts!',
    'src/base/process/ignored-signals.ts!',
    'src/user-endpoints/hook.ts!',
    'src/{engine,ingest,otlp}/**/worker.ts!',
    'wasm/{append,setup,split}.ts!',
    'wasm/{extract/{extract,intern},mask/triggers,scan/scan,search/search,numbers/*,sealing/{gather,intern}}.ts!',
    'bench/*.mjs',
    'examples/**/*.mjs',
    'scripts/*.mjs',
    'test/{docs,program,user-endpoints,support}/**/*.mjs',
  ],
  // bench/peers, test/chdb and test/clients are packages of their own.
  project: ['src/**/*.ts!', 'wasm/**/*.ts!', 'test/**/*.ts', '{bench,scripts}/*.mjs'],
  // Loaded with `createRequire`: neither package has a module that an import could name.
  ignoreDependencies: ['axe-core', 'tdigest'],
  // A function that is exported for its test only, and called in its own file, is no dead code.
  ignoreExportsUsedInFile: isProduction,
  ignoreIssues: {
    // The generator gives these ranks fixed shares. Tests, docs and the demo name the projects by the ranks.
    ...(isProduction && { 'src/generate/values/projects.ts': ['exports'] }),
  },
  exclude: ['binaries'],
}
