/** The first module of a single executable. The program in a package starts with cli.ts. */
import './base/process/malloc-threshold.js'
import './cli.js'
