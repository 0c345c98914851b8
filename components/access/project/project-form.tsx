import { useMutation } from '@tanstack/react-query'
import { removeProject, updateProject } from '@/components/queries/queries'
import type { Project } from '@/lib/contract/access/projects'
import { FormError } from '../../shell/form'
import { toOptionalText } from '../../shell/use-form'
import { type FormFields, useSchemaForm } from '../../shell/use-schema-form'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { IdField, NumberField, TextField } from '../../ui/text-field'
import { toast } from '../../ui/toaster'
import type { ProjectValues } from '../form-schemas'
import { LimitFields, takeLimits, toLimitTexts } from '../limit-fields'
import { ShareFields, toShareTexts } from '../project-shares'

interface ProjectFormProps {
  project: Project
  /** Only admins may change limits and shares. */
  admin: boolean
  onDeleted: () => void
}

/** The name, the retention and, for admins, the limits and shares of a project. */
export function ProjectForm({ project, admin, onDeleted }: ProjectFormProps) {
  const { mutateAsync } = useMutation(updateProject)
  const form = useSchemaForm({
    schema: () => import('../form-schemas').then((schemas) => schemas.changedProjectSchema),
    initial: {
      name: project.name ?? '',
      ...toLimitTexts(project.limits),
      retention_days: toOptionalText(project.retention_days),
      owner_gpu_hour_budget: toOptionalText(project.owner_gpu_hour_budget),
      storage_quota_gib: toOptionalText(gibOf(project.storage.quota_bytes)),
      bucket: project.bucket ?? '',
      ...toShareTexts(project),
    },
    onSubmit: async (values) => {
      const { limits, others } = takeLimits(values)
      const { name, retention_days, owner_gpu_hour_budget, storage_quota_gib, bucket, ...shares } = others
      const forAdmins = { limits, shares, storage_quota_gib, bucket }
      await mutateAsync({
        id: project.id,
        name,
        retention_days,
        owner_gpu_hour_budget,
        ...(admin ? forAdmins : {}),
      })
      toast.success('Project saved')
    },
  })
  return (
    <form {...form.props} className="flex flex-col gap-4 p-4">
      <TextField label="Name" optional {...form.field('name')} />
      <NumberField
        label="Keep files for (days)"
        hint="Results, artifacts and uploaded directories are deleted this many days after their job ended, and checkpoints this many days after the last job of their run. 0 keeps them for ever. Only admins can set more than the default."
        inputMode="numeric"
        placeholder={describeDefault(project.default_retention_days)}
        {...form.field('retention_days')}
      />
      <NumberField
        label="GPU hours that this project may use"
        hint={describePeriod(project.shares)}
        placeholder="no limit"
        {...form.field('owner_gpu_hour_budget')}
      />
      {admin ? <AdminFields form={form} /> : null}
      <FormError error={form.error} />
      <div className="flex gap-2">
        <Button type="submit" loading={form.submitting}>
          Save
        </Button>
        <DeleteProject project={project} onDeleted={onDeleted} />
      </div>
    </form>
  )
}

function describePeriod({ gpu_hour_budget: most, budget_period: period }: Project['shares']): string {
  const span = period === 'total' ? 'In total' : `In each ${period}`
  return most === null ? `${span}. Empty: no limit.` : `${span}. An admin permits at most ${most}.`
}

function describeDefault(days: number): string {
  return days === 0 ? 'default: forever' : `default: ${days}`
}

function gibOf(bytes: number | null): number | null {
  return bytes === null ? null : bytes / 1024 ** 3
}

function AdminFields({ form }: { form: FormFields<ProjectValues> }) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <LimitFields form={form} />
        <NumberField
          label="Storage quota (GiB)"
          hint="For all members together."
          placeholder="no quota"
          {...form.field('storage_quota_gib')}
        />
        <IdField
          label="Bucket"
          hint="Receives copies of the results of new jobs."
          placeholder="none"
          {...form.field('bucket')}
        />
      </div>
      <ShareFields form={form} />
    </>
  )
}

function DeleteProject({ project, onDeleted }: Pick<ProjectFormProps, 'project' | 'onDeleted'>) {
  const { mutateAsync } = useMutation(removeProject)
  return (
    <ConfirmDialog
      trigger={<Button variant="danger-quiet">Delete…</Button>}
      title={`Delete ${project.project_id}?`}
      description="You can delete a project only if it has no jobs."
      confirmLabel="Delete"
      onConfirm={async () => {
        await mutateAsync(project.id)
        onDeleted()
      }}
    />
  )
}
