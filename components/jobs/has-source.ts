import type { JobDetail } from '@/lib/contract/jobs'

/** A program that was deleted on request cannot run again. */
export function hasSource({ files_deleted, command }: Pick<JobDetail, 'files_deleted' | 'command'>): boolean {
  return files_deleted !== 'on_request' || command !== null
}
