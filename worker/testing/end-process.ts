/** Kills a process, if it exists. */
export function endProcess(pid: number): void {
  // A file that has just gone, or is not written yet: 0 would be whoever runs the tests.
  if (!(pid > 1)) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
