const MiB = 1024 * 1024

/** Returns the bytes that a job can write to /work: half of its memory, because its program needs the rest. */
export function workdirCapacity(memoryMib: number): number {
  return Math.floor((memoryMib * MiB) / 2)
}

/** Returns an upper bound of what a directory takes: the last page of every file is partly empty. */
export function directoryBytes(directory: { bytes: number; files: number }): number {
  return directory.bytes + directory.files * 4096
}

/** Returns why a directory does not fit into a job's memory and what to request instead; null if it fits. */
export function refuseCapacity(
  directory: { bytes: number; files: number },
  memoryMib: number,
): string | null {
  const needed = directoryBytes(directory)
  if (needed <= workdirCapacity(memoryMib)) return null
  const gb = Math.ceil((2 * needed) / (MiB * 1024) + 1)
  return (
    `The directory needs ${formatMib(needed)} in /work, which can use half of the job's memory: ${formatMib(workdirCapacity(memoryMib))}. ` +
    `Set memory_gb: ${gb}, or upload less.`
  )
}

function formatMib(bytes: number): string {
  return `${Math.ceil(bytes / MiB)} MiB`
}
