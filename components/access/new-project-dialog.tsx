'use client'

import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { createProject } from '@/components/queries/queries'
import { idSchema } from '@/lib/contract/jobs'
import { FormActions } from '../shell/form-actions'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { Field } from '../ui/field'
import { Input } from '../ui/input'
import { toast } from '../ui/toaster'

const optionalId = z.union([z.literal(''), idSchema]).transform((id) => id || undefined)

const schema = z.object({
  project_id: idSchema,
  name: z
    .string()
    .trim()
    .max(100)
    .transform((name) => name || undefined),
  owner: optionalId,
})

const initial = { project_id: '', name: '', owner: '' }

/** Makes a project. A config that names an unknown one makes it too: this is for those that will be shared. */
export function NewProjectDialog({ forOthers = false }: { forOthers?: boolean }) {
  const [open, setOpen] = useState(false)
  return (
    <Dialog
      open={open}
      onOpenChange={setOpen}
      title="New project"
      description="Jobs name it as project_id in their config."
      trigger={
        <Button variant="primary">
          <Plus aria-hidden />
          New project
        </Button>
      }
    >
      <NewProjectForm forOthers={forOthers} onMade={() => setOpen(false)} />
    </Dialog>
  )
}

function NewProjectForm({ forOthers, onMade }: { forOthers: boolean; onMade: () => void }) {
  const { mutateAsync } = useMutation(createProject)
  const form = useSchemaForm({
    schema,
    initial,
    send: async (project) => {
      await mutateAsync(project)
      toast.success(`Project ${project.project_id} was made`)
      onMade()
    },
  })
  return (
    <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
      <Field label="Project id" error={form.errorOf('project_id')}>
        <Input
          mono
          autoCapitalize="none"
          spellCheck={false}
          placeholder="resnet50-baseline"
          value={form.values.project_id}
          onChange={(event) => form.set({ project_id: event.target.value })}
        />
      </Field>
      <Field label="Name" optional error={form.errorOf('name')}>
        <Input value={form.values.name} onChange={(event) => form.set({ name: event.target.value })} />
      </Field>
      {forOthers ? (
        <Field
          label="Owner"
          optional
          hint="A user id; left empty, it is yours."
          error={form.errorOf('owner')}
        >
          <Input
            mono
            value={form.values.owner}
            onChange={(event) => form.set({ owner: event.target.value })}
          />
        </Field>
      ) : null}
      <FormActions form={form} send="Make the project" />
    </form>
  )
}
