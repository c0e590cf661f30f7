import { close, url } from 'node:inspector'

/**
 * Signals that the program ignores, in all of its threads. Other services reopen their logs on these, so people and tools send them.
 * By default Node opens its debugger on SIGUSR1, where any user of the machine may run code, and ends on the other two.
 */
for (const signal of ['SIGUSR1', 'SIGUSR2', 'SIGQUIT'] as const) process.on(signal, () => {})

/** Whether who started the process asked for the debugger, as with `node --inspect`. */
const isAskedFor = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((text) => text.includes('--inspect'))

// A SIGUSR1 that came before this line has opened it.
if (url() !== undefined && !isAskedFor) close()
