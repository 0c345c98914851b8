import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { createResultShare, resultSharesQuery, revokeResultShare } from '@/components/project-results/queries'
import type { Project } from '@/lib/contract/access/projects'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { groupLabel } from '@/lib/metrics/contract-group-label'
import type { CreatedResultShare, ResultShare, Results } from '@/lib/project-results/contract'
import { maxSharedResults, type ResultColumn, resultColumns } from '@/lib/project-results/contract-columns'
import { linkLifetimes } from '../shares/link-lifetimes'
import { LinkList } from '../shares/link-list'
import { LinkRow } from '../shares/link-row'
import { SharedTime } from '../shares/shared-time'
import { FormError, SubmitButton } from '../shell/form'
import { ShownOnce } from '../shell/shown-once'
import { useSchemaForm } from '../shell/use-schema-form'
import { Callout } from '../ui/callout'
import { Checkbox } from '../ui/checkbox'
import { Dialog } from '../ui/dialog'
import { formatCount } from '../ui/format-number'
import { SelectField } from '../ui/select'
import { TextField } from '../ui/text-field'
import { columnLabels } from './results-toolbar'
import type { ResultsView } from './results-view'
import type { ShareResultsValues } from './share-schema'

interface ShareResultsDialogProps {
  project: Pick<Project, 'id' | 'project_id'>
  /** Ids of the chosen jobs, which are the user's own. */
  jobs: readonly string[]
  results: Pick<Results, 'metrics'>
  view: Pick<ResultsView, 'columns' | 'group'>
  trigger: ReactElement
}

/** Creates, lists and revokes read-only links to results. */
export function ShareResultsDialog({ trigger, ...chosen }: ShareResultsDialogProps) {
  const [created, setCreated] = useState<CreatedResultShare | null>(null)
  return (
    <Dialog
      trigger={trigger}
      onClose={() => setCreated(null)}
      title="Share results read-only"
      description="Anyone with the link sees the chosen columns of the chosen jobs, without an account, and nothing else of them."
    >
      <div className="flex flex-col gap-5">
        {created ? (
          <ShownOnce
            label="link"
            title={`Link to ${formatCount(created.jobs, 'job')}`}
            secret={created.url}
            note={
              <>
                gpuq does not show this link again. It works until <SharedTime at={created.expires_at} />, and
                as long as you are in the project.
              </>
            }
          />
        ) : null}
        {chosen.jobs.length === 0 ? (
          <Callout title="No jobs chosen">
            Select jobs in the table first. A link shows only your own jobs.
          </Callout>
        ) : chosen.jobs.length > maxSharedResults ? (
          <Callout tone="warning" title="Too many jobs chosen">
            A link shows at most {maxSharedResults} jobs. You chose {chosen.jobs.length}.
          </Callout>
        ) : (
          <ShareForm {...chosen} onCreated={setCreated} />
        )}
        <Shares onRevoked={(id) => setCreated((shown) => (shown?.id === id ? null : shown))} />
      </div>
    </Dialog>
  )
}

/** The columns that a link can have: as the table shows them. */
function choicesOf({ results, view }: Pick<ShareResultsDialogProps, 'results' | 'view'>) {
  const group = view.group
  const mayShowGroup = group !== null && !group.startsWith('config.env.')
  return [
    ...(['name', ...view.columns.filter((column) => column !== 'name')] as const).map((column) => ({
      key: `column ${column}`,
      label: columnLabels[column],
    })),
    ...(mayShowGroup ? [{ key: 'group', label: visibleText(groupLabel(group), 60) }] : []),
    ...results.metrics.map((name) => ({ key: `metric ${name}`, label: visibleText(name, 60) })),
  ]
}

interface ShareFormProps extends Omit<ShareResultsDialogProps, 'trigger'> {
  onCreated: (share: CreatedResultShare) => void
}

function ShareForm({ project, jobs, results, view, onCreated }: ShareFormProps) {
  const { mutateAsync } = useMutation(createResultShare)
  const choices = choicesOf({ results, view })
  const initial: ShareResultsValues = { title: '', days: '7', columns: choices.map(({ key }) => key) }
  const form = useSchemaForm({
    schema: () => import('./share-schema').then((schemas) => schemas.shareResultsSchema),
    initial,
    onSubmit: async ({ title, days, columns }) =>
      onCreated(
        await mutateAsync({
          projectId: project.id,
          job_ids: [...jobs],
          ...(title === null ? {} : { title }),
          columns: resultColumns.filter((column: ResultColumn) => columns.includes(`column ${column}`)),
          metrics: results.metrics.filter((name) => columns.includes(`metric ${name}`)),
          group_by: columns.includes('group') ? view.group : null,
          expires_in_days: Number(days),
        }),
      ),
  })
  const { value, onChange, error } = form.field('columns')
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <TextField
        label="Heading of the page"
        optional
        hint={`The page has neither your name nor the name of the project. It shows ${formatCount(jobs.length, 'job')}.`}
        {...form.field('title')}
      />
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 font-medium text-ink text-sm">Columns</legend>
        {choices.map(({ key, label }) => (
          <Checkbox
            key={key}
            label={label}
            checked={value.includes(key)}
            onCheckedChange={(checked) =>
              onChange(checked ? [...value, key] : value.filter((own) => own !== key))
            }
          />
        ))}
        {view.group?.startsWith('config.env.') ? (
          <p className="text-muted text-xs">
            A link cannot show the values of environment variables: they may be secrets. Group by a tag
            instead, such as lr=0.1.
          </p>
        ) : null}
        {error ? (
          <p role="alert" className="text-danger-ink text-xs">
            {error}
          </p>
        ) : null}
      </fieldset>
      <SelectField label="Expires after" options={linkLifetimes} {...form.field('days')} />
      <FormError error={form.error} />
      <div className="flex justify-end">
        <SubmitButton form={form}>Create link</SubmitButton>
      </div>
    </form>
  )
}

function Shares({ onRevoked }: { onRevoked: (shareId: string) => void }) {
  return (
    <LinkList title="Your links to results" query={useQuery(resultSharesQuery())}>
      {(share) => <ShareRow key={share.id} share={share} onRevoked={onRevoked} />}
    </LinkList>
  )
}

function ShareRow({ share, onRevoked }: { share: ResultShare; onRevoked: (shareId: string) => void }) {
  const { mutateAsync } = useMutation(revokeResultShare)
  const { id, title, project_id, jobs, columns, metrics, group_by, created_at, expires_at } = share
  const shown = [
    ...columns.map((column) => columnLabels[column]),
    ...(group_by === null ? [] : [groupLabel(group_by)]),
    ...metrics,
  ]
  return (
    <LinkRow
      title={
        <>
          {title === null ? '' : `${visibleText(title, 100)}, `}
          {formatCount(jobs, 'job')} of {project_id}, until <SharedTime at={expires_at} />
        </>
      }
      details={
        <>
          {shown.map((name) => visibleText(name, 60)).join(', ')}. Created <SharedTime at={created_at} />
        </>
      }
      revokeLabel={`Revoke the link to ${formatCount(jobs, 'job')} of ${project_id}`}
      onRevoke={async () => {
        await mutateAsync(id)
        onRevoked(id)
      }}
    />
  )
}
