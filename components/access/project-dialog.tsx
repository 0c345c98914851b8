'use client'

import { useMutation } from '@tanstack/react-query'
import { z } from 'zod'
import { removeProject, updateProject } from '@/components/queries/queries'
import type { Project } from '@/lib/contract/access'
import { FormFailure } from '../shell/form-actions'
import { optionalNumberText } from '../shell/number-text'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { Dialog } from '../ui/dialog'
import { Field } from '../ui/field'
import { Input } from '../ui/input'
import { toast } from '../ui/toaster'
import { LimitField, limitText, toLimitText } from './limit-field'
import { ProjectMembers } from './project-members'
import { ProjectUse, ShareFields, shareTexts, toShareTexts } from './project-shares'

const schema = z.object({
  name: z
    .string()
    .trim()
    .max(100)
    .transform((name) => name || null),
  submissions_per_minute: limitText,
  max_active_jobs: limitText,
  retention_days: optionalNumberText({ min: 1, max: 36_500 }),
  ...shareTexts,
})

interface ProjectDialogProps {
  project: Project
  /** Its owner and admins may change it; admins also its limits and its shares. */
  editable: boolean
  admin: boolean
  onClose: () => void
}

/** One project: its part of the cluster, its name, its members, its limits. */
export function ProjectDialog({ project, editable, admin, onClose }: ProjectDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={project.project_id}
      description={`Owned by ${project.owner}`}
    >
      <div className="flex flex-col gap-6">
        <ProjectUse project={project} />
        {editable ? <ProjectFacts project={project} admin={admin} onDeleted={onClose} /> : null}
        <ProjectMembers project={project} editable={editable} />
      </div>
    </Dialog>
  )
}

interface ProjectFactsProps {
  project: Project
  admin: boolean
  onDeleted: () => void
}

function ProjectFacts({ project, admin, onDeleted }: ProjectFactsProps) {
  const { mutateAsync } = useMutation(updateProject)
  const form = useSchemaForm({
    schema,
    initial: {
      name: project.name ?? '',
      submissions_per_minute: toLimitText(project.limits.submissions_per_minute),
      max_active_jobs: toLimitText(project.limits.max_active_jobs),
      retention_days: project.retention_days === null ? '' : String(project.retention_days),
      ...toShareTexts(project),
    },
    send: async ({ name, retention_days, submissions_per_minute, max_active_jobs, ...shares }) => {
      const limits = { submissions_per_minute, max_active_jobs }
      await mutateAsync({ id: project.id, name, retention_days, ...(admin ? { limits, shares } : {}) })
      toast.success('The project was saved')
    },
  })
  return (
    <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
      <Field label="Name" optional error={form.errorOf('name')}>
        <Input value={form.values.name} onChange={(event) => form.set({ name: event.target.value })} />
      </Field>
      <Field
        label="Days that files are kept"
        hint="Results, artifacts and shipped directories are deleted so long after their job ended, checkpoints after the last job of their run."
        error={form.errorOf('retention_days')}
      >
        <Input
          inputMode="numeric"
          autoComplete="off"
          placeholder="for ever"
          value={form.values.retention_days}
          onChange={(event) => form.set({ retention_days: event.target.value })}
        />
      </Field>
      {admin ? <AdminFields form={form} /> : null}
      <FormFailure failure={form.failure} />
      <div className="flex gap-2">
        <Button type="submit" loading={form.working}>
          Save
        </Button>
        <DeleteProject project={project} onDeleted={onDeleted} />
      </div>
    </form>
  )
}

interface AdminFieldsProps {
  form: {
    values: z.input<typeof schema>
    errorOf: (name: keyof z.input<typeof schema>) => string | undefined
    set: (change: Partial<z.input<typeof schema>>) => void
  }
}

function AdminFields({ form }: AdminFieldsProps) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <LimitField
          label="Submissions a minute"
          value={form.values.submissions_per_minute}
          error={form.errorOf('submissions_per_minute')}
          onChange={(value) => form.set({ submissions_per_minute: value })}
        />
        <LimitField
          label="Active jobs"
          value={form.values.max_active_jobs}
          error={form.errorOf('max_active_jobs')}
          onChange={(value) => form.set({ max_active_jobs: value })}
        />
      </div>
      <ShareFields values={form.values} errorOf={form.errorOf} set={form.set} />
    </>
  )
}

function DeleteProject({ project, onDeleted }: Pick<ProjectFactsProps, 'project' | 'onDeleted'>) {
  const { mutateAsync } = useMutation(removeProject)
  return (
    <ConfirmDialog
      trigger={<Button variant="danger-quiet">Delete…</Button>}
      title={`Delete ${project.project_id}?`}
      description="Only a project without jobs can be deleted."
      confirmLabel="Delete"
      onConfirm={async () => {
        await mutateAsync(project.id)
        onDeleted()
      }}
    />
  )
}
