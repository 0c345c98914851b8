import { quoteValue } from '@/lib/contract/search/format-search'

/** The list of the jobs of all members of a project, for its managers. */
export function projectJobsPath(projectId: string): string {
  return `/jobs?${new URLSearchParams({ q: `project:${quoteValue(projectId)} user:*` })}`
}
