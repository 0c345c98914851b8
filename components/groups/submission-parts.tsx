import { useDeferredValue, useMemo } from 'react'
import type { FieldError } from '@/lib/contract/errors'
import { groupKeyNames } from '@/lib/groups/contract'
import type { Submission } from '@/lib/http/client/build-client'
import { ExpectedStart } from '../cluster/queue/expected-start'
import { readConfigText } from '../jobs/editor/config-text'
import type { Draft } from '../jobs/submit/draft'
import type { Opened, OtherAnswer } from '../jobs/submit/other-submission'
import { api, changing, keys } from '../queries/queries'
import { Callout } from '../ui/callout'
import { formatCount, formatNumber } from '../ui/format-number'
import { type GroupPlan, planGroup } from './plan-group'
import { dryRunQuery, resource } from './queries'

export { dryRunQuery }

export function findMistakes(config: string): readonly FieldError[] {
  const plan = planGroup({ code: '', config })
  return plan.ok ? [] : plan.errors
}

/** The config without the keys of a group: that of each member, apart from the values. */
export function toJobConfig(config: string): string {
  return groupKeyNames.reduce<string>(
    (text, key) => readConfigText(text)?.write(key, undefined) ?? text,
    config,
  )
}

export const submission = changing(
  async (given: Submission): Promise<Opened> => ({
    path: `/groups/${(await api.groups.submit(given)).group_id}`,
  }),
  resource,
  keys.jobs,
)

/** How many jobs a draft makes, what they can cost at most, and what may be a mistake. */
export function Preview({ draft, answer }: { draft: Draft; answer: OtherAnswer | null }) {
  // Deferred, so that many members do not slow down typing.
  const settled = useDeferredValue(draft)
  const plan = useMemo(() => planGroup(settled), [settled])
  if (!plan.ok) return null
  return (
    <section aria-label="The group before you submit" className="mt-4 flex min-w-0 flex-col gap-2 text-sm">
      <p role="status" className="text-muted">
        <strong className="font-medium text-ink">{formatCount(plan.members, 'member')}</strong>,{' '}
        {describeCost(plan)},{' '}
        {plan.parallel < plan.members ? `${formatNumber(plan.parallel)} at once` : 'all at once'}.
      </p>
      {answer === null ? null : (
        <p className="text-muted">
          <FirstStart answer={answer} /> {answer.project_note}
        </p>
      )}
      {plan.hints.length > 0 ? (
        <Callout tone="info" title="This may be a mistake">
          {plan.hints.map((hint) => (
            <p key={hint}>{hint}</p>
          ))}
        </Callout>
      ) : null}
    </section>
  )
}

function FirstStart({ answer: { expected_start, expected_start_text } }: { answer: OtherAnswer }) {
  if (expected_start === null && expected_start_text !== null) return expected_start_text
  return (
    <>
      Expected start of the first one: <ExpectedStart at={expected_start} range={null} />.
    </>
  )
}

function describeCost({ gpuHours, runHours }: GroupPlan): string {
  const [{ expected, most }, unit] =
    gpuHours.most > 0 ? [gpuHours, 'GPU hours'] : [runHours, 'hours of run time']
  return `about ${hours(expected)} and at most ${hours(most)} ${unit}`
}

/** Two digits are enough for an estimate. */
const hours = (value: number) =>
  value >= 10 ? formatNumber(Math.round(value)) : String(Number(value.toPrecision(2)))
