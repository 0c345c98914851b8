import type { ArchiveLimits } from '@/lib/contract/archives/archives'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { formatBytes, formatNumber } from '../../../ui/format-number'
import { bytesOf, type Directory, findRefusedPaths, sumBytes } from './directory'

/** How many files a problem lists. */
const mostNamed = 5

const advice = 'List files that the job does not need in .gpuqignore, or remove them.'

/** Why the directory cannot be uploaded, as far as the page knows it before. `limits` are undefined while they load. */
export function findDirectoryProblems(directory: Directory, limits: ArchiveLimits | undefined): string[] {
  const { entries } = directory
  if (entries.length === 0) return ['The directory has no files. Add one, or remove the directory.']
  const problems: string[] = []
  if (limits && entries.length > limits.max_entries) {
    problems.push(
      `The directory has ${formatNumber(entries.length)} files. The limit is ${formatNumber(limits.max_entries)}. ${advice}`,
    )
  }
  const bytes = sumBytes(entries)
  if (limits && bytes > limits.max_bytes) {
    const largest = entries
      .toSorted((a, b) => bytesOf(b) - bytesOf(a))
      .slice(0, mostNamed)
      .map((entry) => `${visibleText(entry.path, 100)} (${formatBytes(bytesOf(entry))})`)
    problems.push(
      `The directory has ${formatBytes(bytes)}. The limit is ${formatBytes(limits.max_bytes)}. ${advice} The largest are ${largest.join(', ')}.`,
    )
  }
  const refused = findRefusedPaths(directory)
  for (const { path, why } of refused.slice(0, mostNamed)) {
    problems.push(`The path ${visibleText(path, 100)} ${why}. Rename or remove the file.`)
  }
  if (refused.length > mostNamed) {
    problems.push(`${formatNumber(refused.length - mostNamed)} more paths cannot be uploaded.`)
  }
  return problems
}
