import { type Grouped, groupKey, groupKeys } from '@/lib/contract/metrics/group-key'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { JobGroup } from '../metrics/group-lines'

const maxCharacters = 60

/** Everything by which jobs can be grouped, and the chosen one. Tags are a choice of their own, not a value of the config. */
export function groupChoices(jobs: readonly Grouped[], chosen: string | null): string[] {
  const choices = groupKeys(jobs).filter((by) => by !== 'config.tags')
  // It stays when the last job that differed is removed.
  return chosen === null || choices.includes(chosen) || !canGroup(jobs, chosen)
    ? choices
    : [...choices, chosen]
}

/** Returns true if at least one job has what decides to which group it belongs. */
export function canGroup(jobs: readonly Grouped[], by: string): boolean {
  return jobs.some((job) => groupKey(job, by) !== undefined)
}

/** A choice in words. */
export function describeChoice(by: string): string {
  const [kind, ...path] = by.split('.')
  if (kind === 'tags') return 'Tags'
  return `${kind === 'tag' ? 'Tag' : 'Config'} ${visibleText(path.join('.'), maxCharacters)}`
}

/** The groups of jobs, in the order in which they first appear. Jobs without a value are a group too. */
export function groupJobs(ids: readonly string[], jobs: readonly Grouped[], by: string): JobGroup[] {
  const groups = new Map<string | undefined, string[]>()
  for (const [at, job] of jobs.entries()) {
    const value = groupKey(job, by)
    groups.set(value, [...(groups.get(value) ?? []), ids[at] ?? ''])
  }
  return [...groups].map(([value, members], index) => ({
    id: value === undefined ? 'none' : `=${value}`,
    label: visibleText(labelOf(by, value), maxCharacters),
    index,
    jobs: members,
  }))
}

function labelOf(by: string, value: string | undefined): string {
  const name = by.split('.').slice(1).join('.')
  if (by === 'tags') return value ?? 'no tags'
  return value === undefined ? `no ${name}` : `${name}=${value}`
}
