/** By then, a worker that runs has stopped the program, with its last files. */
const marginS = 20
/** Time between SIGTERM and SIGKILL, as when a worker stops it. */
const graceS = 10

/**
 * Returns the command of a program that ends after its time limit, also while no worker runs. What waits for the limit is
 * no child of the program, which could wait for it, and ignores the keys and signals that are for the program. It ends with
 * the container. If it cannot wait, it ends nothing.
 */
export function endingItself(command: readonly string[], limitS: number): string[] {
  const wait = `trap "" HUP INT QUIT TERM TSTP; sleep ${limitS + marginS} && { kill -TERM $$; sleep ${graceS}; kill -KILL $$; }`
  return ['/bin/sh', '-c', `( ( ${wait} ) </dev/null >/dev/null 2>&1 & ); exec "$@"`, 'gpuq', ...command]
}
