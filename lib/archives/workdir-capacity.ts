const MiB = 1024 * 1024

/** What a job can write to /work, in bytes: half of its memory, as a program needs the other half. */
export function workdirCapacity(memoryMib: number): number {
  return Math.floor((memoryMib * MiB) / 2)
}

/** The most that a directory takes there: every file ends with a page that is not full. */
function capacityNeeded(directory: { bytes: number; files: number }): number {
  return directory.bytes + directory.files * 4096
}

/** Why a directory does not fit into the memory of a job, and what to ask for; null where it does. */
export function refuseCapacity(
  directory: { bytes: number; files: number },
  memoryMib: number,
): string | null {
  const needed = capacityNeeded(directory)
  if (needed <= workdirCapacity(memoryMib)) return null
  const gb = Math.ceil((2 * needed) / (MiB * 1024) + 1)
  return (
    `The directory takes ${formatMib(needed)} in /work, which has half of the job's memory: ${formatMib(workdirCapacity(memoryMib))}. ` +
    `Ask for memory_gb: ${gb}, or ship less.`
  )
}

function formatMib(bytes: number): string {
  return `${Math.ceil(bytes / MiB)} MiB`
}
