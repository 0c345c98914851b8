import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Fragment } from 'react'
import { groupTitle } from '@/lib/groups/contract-title'
import { ButtonLink } from '../ui/button-link'
import { formatNumber } from '../ui/format-number'
import { Link } from '../ui/link'
import { Panel } from '../ui/panel'
import { describeMember } from './describe-parameters'
import { groupOfJobQuery } from './queries'

interface JobMemberProps {
  jobId: string
  /** The title of the page, which often has the name of the group. */
  title: string
}

/** On the page of a job that is a member of a group: its place, its parameters, and the jobs beside it. */
export function JobMember({ jobId, title }: JobMemberProps) {
  const { data } = useQuery(groupOfJobQuery(jobId))
  if (!data) return null
  const { group_id, kind, members, member, failed_jobs, previous, next } = data
  const name = groupTitle(data)
  const parameters = describeMember(kind, member)
  return (
    <Panel className="flex-row flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-2">
      <p className="min-w-0 wrap-anywhere text-sm">
        Member #{member.index} of {formatNumber(members)} in{' '}
        <Link href={`/groups/${group_id}`}>{title.startsWith(name) ? `its ${kind}` : name}</Link>
        {parameters === '' ? null : <span className="text-muted">: {parameters}</span>}
        {member.job_id === jobId ? null : (
          <>
            . It failed, and its member{' '}
            {member.has_job ? (
              <>
                runs again as <Link href={`/jobs/${member.job_id}`}>another job</Link>.
              </>
            ) : (
              'runs again when the group has a place for it.'
            )}
          </>
        )}
        {member.job_id === jobId && failed_jobs.length > 0 ? (
          <>
            . It failed before:{' '}
            {failed_jobs.map((failed, at) => (
              <Fragment key={failed}>
                {at === 0 ? '' : ', '}
                <Link href={`/jobs/${failed}`}>try {at + 1}</Link>
              </Fragment>
            ))}
          </>
        ) : null}
      </p>
      <nav aria-label="Members of the group" className="flex flex-wrap gap-1.5 empty:hidden">
        {previous === null ? null : (
          <ButtonLink icon={ChevronLeft} size="sm" href={`/jobs/${previous}`}>
            Previous member
          </ButtonLink>
        )}
        {next === null ? null : (
          <ButtonLink icon={ChevronRight} size="sm" href={`/jobs/${next}`}>
            Next member
          </ButtonLink>
        )}
      </nav>
    </Panel>
  )
}
