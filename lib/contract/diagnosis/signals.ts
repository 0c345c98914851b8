const names: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  10: 'SIGUSR1',
  11: 'SIGSEGV',
  12: 'SIGUSR2',
  13: 'SIGPIPE',
  14: 'SIGALRM',
  15: 'SIGTERM',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
  31: 'SIGSYS',
}

/** The signal that an exit code means; null: none. */
export function signalOf(exitCode: number | null): string | null {
  return exitCode === null ? null : (names[exitCode - 128] ?? null)
}

/** Signals of the kernel for a mistake of the program's native code. */
export const isCrash = (signal: string | null): boolean =>
  signal !== null && ['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSYS'].includes(signal)

export function describeSignal(signal: string): string {
  return `The program was ended by ${signal}.`
}
