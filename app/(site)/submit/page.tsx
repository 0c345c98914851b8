import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { readFieldInfos } from '@/components/jobs/editor/field-infos'
import { applyFix } from '@/components/jobs/submit/apply-fix'
import { draftAfter } from '@/components/jobs/submit/draft'
import { SubmitView } from '@/components/jobs/submit/submit-view'
import { keys } from '@/components/queries/queries'
import type { Actor } from '@/lib/access/actor'
import { listEnvironments } from '@/lib/access/environments'
import { parseFix } from '@/lib/contract/diagnosis/fix'
import { findGroup } from '@/lib/groups/groups'
import { listRefusedKeys } from '@/lib/jobs/config/capabilities'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'
import { readSource } from '@/lib/jobs/read/read'
import { nullIfNotFound } from '../null-if-not-found'
import { Prefetched } from '../prefetched'
import { requireActor } from '../require-actor'
import { readSearchParams, type SearchParams, withSearchParams } from '../search-params'

export const metadata: Metadata = { title: 'New job' }

/** A line number of a link; null: none. */
function readLine(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,6}$/.test(text) ? Number(text) : null
}

/** The id of the job or group after which a new job shall start; null: the actor sees none with this id. */
async function findEarlier(actor: Actor, id: string): Promise<string | null> {
  const job = await nullIfNotFound(findVisibleJob(actor, id))
  return job?.id ?? (await nullIfNotFound(findGroup(actor, id)))?.group_id ?? null
}

export default async function SubmitPage({ searchParams }: { searchParams: SearchParams }) {
  const params = await readSearchParams(searchParams)
  const actor = await requireActor(withSearchParams('/submit', params))
  const from = params.get('from')
  // The files of a job to edit and run again.
  const start = from === null ? null : await nullIfNotFound(readSource(actor, from))
  if (from !== null && start === null) notFound()
  const fix = parseFix(params.get('fix') ?? '')
  const fixed = start && fix && applyFix(start.config, fix)
  const after = params.get('after')
  const earlier = after === null ? null : await findEarlier(actor, after)
  if (after !== null && earlier === null) notFound()
  return (
    <Prefetched queryKey={keys.environments} load={() => listEnvironments(actor)}>
      <SubmitView
        key={from ?? after}
        handle={actor.handle}
        infos={readFieldInfos()}
        start={
          (start && { ...start, ...(fixed && { config: fixed.config }) }) ??
          (earlier === null ? null : draftAfter(earlier))
        }
        startLine={readLine(params.get('line'))}
        filledIn={fixed?.note ?? null}
        refusedKeys={listRefusedKeys()}
      />
    </Prefetched>
  )
}
