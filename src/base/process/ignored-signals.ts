import { close, url } from 'node:inspector'

/**
 * Ignores signals that people and tools send because other services reopen their logs then. By default Node opens a
 * debugger on SIGUSR1, with which any user of the machine can run code, and ends on the other two.
 */
for (const signal of ['SIGUSR1', 'SIGUSR2', 'SIGQUIT'] as const) process.on(signal, () => {})

/** Whether the process was started with the debugger, as by `node --inspect`. */
const isDebuggerWanted = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((text) =>
  text.includes('--inspect'),
)

// A SIGUSR1 before this line has opened the debugger.
if (url() !== undefined && !isDebuggerWanted) close()
