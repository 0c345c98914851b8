import { visibleText } from '@/lib/contract/text/sanitize-text'
import { type Grouped, groupKey, groupKeys } from '@/lib/metrics/contract-group-key'
import { groupLabel } from '@/lib/metrics/contract-group-label'
import type { JobGroup } from '../metrics/group-lines'
import { type ConfigRow, compareConfigs, readConfig } from './config-rows'

const maxCharacters = 60

/** A tag or a value of the config by which jobs can be grouped. */
export interface GroupChoice {
  by: string
  label: string
}

/** A job with its tags, and its config as YAML. */
export interface TaggedJob {
  id: string
  tags: readonly string[]
  config: string
}

export interface JobGroups {
  choices: readonly GroupChoice[]
  /** The choice of the address; null: the jobs are not grouped, also if no job has what the address names. */
  by: string | null
  groups: readonly JobGroup[] | null
  /** The keys of the configs. */
  rows: readonly ConfigRow[]
}

/** Groups jobs by what an address names; null: by nothing. */
export function readGroups(jobs: readonly TaggedJob[], by: string | null): JobGroups {
  const grouped = jobs.map(({ tags, config }) => ({ tags, config: readConfig(config) }))
  const chosen = by !== null && canGroup(grouped, by) ? by : null
  const ids = jobs.map(({ id }) => id)
  return {
    choices: groupChoices(grouped, chosen).map((choice) => ({
      by: choice,
      label: visibleText(groupLabel(choice), maxCharacters),
    })),
    by: chosen,
    groups: chosen === null ? null : groupJobs(ids, grouped, chosen),
    rows: compareConfigs(jobs.map(({ config }) => config)),
  }
}

/** Everything by which jobs can be grouped, and the chosen one. Tags are a choice of their own, not a value of the config. */
function groupChoices(jobs: readonly Grouped[], chosen: string | null): string[] {
  const choices = groupKeys(jobs).filter((by) => by !== 'config.tags')
  // It stays when the last job that differed is removed.
  return chosen === null || choices.includes(chosen) ? choices : [...choices, chosen]
}

/** Returns true if at least one job has what decides to which group it belongs. */
function canGroup(jobs: readonly Grouped[], by: string): boolean {
  return jobs.some((job) => groupKey(job, by) !== undefined)
}

/** The groups of jobs, in the order in which they first appear. Jobs without a value are a group too. */
function groupJobs(ids: readonly string[], jobs: readonly Grouped[], by: string): JobGroup[] {
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
