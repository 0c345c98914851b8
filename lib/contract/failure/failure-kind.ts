/** Why a program failed, as far as its output tells. */
export type FailureKind =
  | 'network'
  | 'pip'
  | 'lfs_pointer'
  | 'bash_in_sh'
  | 'windows_lines'
  | 'script_not_run'
  | 'no_space'
  | 'read_only'
  | 'gpu_memory'
  | 'no_gpu'
  | 'gpu_assert'
  | 'same_gpu'
  | 'shared_memory'
  | 'host_memory'
  | 'module'

/** In the order in which they are tried: the first ones are causes of later ones. */
const signs: readonly { kind: FailureKind; sign: RegExp }[] = [
  {
    kind: 'windows_lines',
    // What shells, env and the kernel print for a carriage return at the end of a line. On a page, what follows it has replaced the
    // beginning of the line.
    sign: /\$'[^']{0,200}\\r'|\^M: bad interpreter|\r['’]?: (?:command )?(?:not found|No such file)|\\r['’]: No such file|set: Illegal option -\s*$|pipefail\r?: invalid option name|^: (?:No such file or directory|invalid option name|(?:command )?not found|Directory nonexistent)|\d: \r?: not found|cannot (?:create|open) \S*\r/,
  },
  {
    kind: 'bash_in_sh',
    sign: /Illegal option -o pipefail|\[\[: not found|[Ss]yntax error: (?:(?:"\("|redirection) unexpected|unexpected "\("|unexpected redirection)|: Bad substitution$|: (?:declare|shopt|pushd|mapfile|readarray|source): not found/,
  },
  { kind: 'pip', sign: /\bpip3?: (?:command )?not found|No module named '?pip'?$/ },
  {
    kind: 'script_not_run',
    // What shells print for a script that does not exist, or whose first line names a program that does not: /bin/bash with a carriage
    // return. The kernel tells them the same for both.
    sign: /(?:^|[\s:'"])\.{0,2}\/[^\s:'"]+['"]?: (?:not found|cannot execute: required file not found|bad interpreter: No such file)/,
  },
  {
    kind: 'lfs_pointer',
    sign: /invalid load key, 'v'|Unsupported operand 118\b|version https:\/\/git-lfs\.github\.com/,
  },
  {
    kind: 'network',
    sign: /Temporary failure (?:in name resolution|resolving)|Name or service not known|Could not resolve host|\bgetaddrinfo (?:ENOTFOUND|EAI_AGAIN)|Network is unreachable|NameResolutionError|unable to resolve host address|Failed to establish a new connection|couldn't connect to 'https?:|outgoing traffic has been disabled/i,
  },
  { kind: 'no_space', sign: /No space left on device|\bENOSPC\b/ },
  { kind: 'read_only', sign: /Read-only file system|\bEROFS\b/i },
  {
    kind: 'gpu_memory',
    sign: /CUDA out of memory|CUDA error: out of memory|cudaErrorMemoryAllocation|CUDA_ERROR_OUT_OF_MEMORY|RESOURCE_EXHAUSTED: Out of memory|OutOfMemoryError: Out of memory allocating/i,
  },
  {
    kind: 'no_gpu',
    sign: /No CUDA GPUs are available|CUDA error: invalid device ordinal|Found no NVIDIA driver|cudaErrorNoDevice|CUDA_ERROR_NO_DEVICE/,
  },
  { kind: 'gpu_assert', sign: /device-side assert triggered/ },
  { kind: 'same_gpu', sign: /Duplicate GPU detected/ },
  {
    kind: 'shared_memory',
    sign: /unable to (?:allocate|write to|mmap|open) (?:shared memory|file <\/torch_)|insufficient shared memory/i,
  },
]

const hostMemory = /^(?:[\w.]+\.)?_?(?:Array)?MemoryError\b|DefaultCPUAllocator: can't allocate memory/
const missingModule = /No module named '([^']{1,200})'/

/** How many of the last lines of the output may say why a program failed. */
export const searchedEnd = 100

/**
 * Finds the cause of a failure. The exception that ended the program says most; without one it is the last line that shows a cause.
 * @param lines the end of the output, without colours
 */
export function findFailureKind(exception: string | null, lines: readonly string[]): FailureKind | null {
  const ofException = exception === null ? null : kindOf(exception)
  if (ofException !== null || exception === null) return ofException ?? lastKind(lines)
  if (hostMemory.test(exception)) return 'host_memory'
  if (missingModule.test(exception)) return 'module'
  // A program that the job started has printed the cause before. Some exceptions have more lines.
  if (/CalledProcessError|SystemExit/.test(exception)) return lastKind(lines)
  const at = lines.findLastIndex((line) => line.includes(exception.slice(0, 200)))
  return at === -1 ? null : lastKind(lines.slice(at))
}

/** The module that an exception misses. */
export function moduleOf(exception: string | null): string | null {
  return missingModule.exec(exception ?? '')?.[1] ?? null
}

function lastKind(lines: readonly string[]): FailureKind | null {
  for (const line of lines.slice(-searchedEnd).toReversed()) {
    const kind = kindOf(line)
    if (kind !== null) return kind
  }
  return null
}

function kindOf(text: string): FailureKind | null {
  return signs.find(({ sign }) => sign.test(text.slice(0, 2000)))?.kind ?? null
}
