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
import { TextField } from '../ui/text-field'
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

/** Creates a project to share. A job whose config names a new project creates it too. */
export function NewProjectDialog({ forOthers = false }: { forOthers?: boolean }) {
  const [open, setOpen] = useState(false)
  return (
    <Dialog
      open={open}
      onOpenChange={setOpen}
      title="New project"
      description="Jobs select it with project_id in their config."
      trigger={
        <Button variant="primary">
          <Plus aria-hidden />
          New project
        </Button>
      }
    >
      <NewProjectForm forOthers={forOthers} onCreated={() => setOpen(false)} />
    </Dialog>
  )
}

function NewProjectForm({ forOthers, onCreated }: { forOthers: boolean; onCreated: () => void }) {
  const { mutateAsync } = useMutation(createProject)
  const form = useSchemaForm({
    schema,
    initial,
    onSubmit: async (project) => {
      await mutateAsync(project)
      toast.success(`Project ${project.project_id} created`)
      onCreated()
    },
  })
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <TextField
        label="Project id"
        mono
        autoCapitalize="none"
        spellCheck={false}
        placeholder="resnet50-baseline"
        {...form.field('project_id')}
      />
      <TextField label="Name" optional {...form.field('name')} />
      {forOthers ? (
        <TextField label="Owner" optional hint="A user id. Empty: you." mono {...form.field('owner')} />
      ) : null}
      <FormActions form={form} submitLabel="Create project" />
    </form>
  )
}
