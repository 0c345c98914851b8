import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import * as z from 'zod'
import { createProject } from '@/components/queries/queries'
import { idSchema } from '@/lib/contract/jobs'
import { DialogForm } from '../shell/form'
import { optionalText } from '../shell/form-values'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { IdField, TextField } from '../ui/text-field'
import { toast } from '../ui/toaster'

const schema = z.object({
  project_id: idSchema,
  name: optionalText(100),
  owner: z.union([z.literal(''), idSchema]),
})

const initial = { project_id: '', name: '', owner: '' }

/** Creates a project to share. A job whose config names a new project creates it too. */
export function NewProjectDialog({ forOthers = false }: { forOthers?: boolean }) {
  return (
    <Dialog
      title="New project"
      description="Jobs select it with project_id in their config."
      trigger={
        <Button icon={Plus} variant="primary">
          New project
        </Button>
      }
    >
      {(close) => <NewProjectForm forOthers={forOthers} onCreated={close} />}
    </Dialog>
  )
}

function NewProjectForm({ forOthers, onCreated }: { forOthers: boolean; onCreated: () => void }) {
  const { mutateAsync } = useMutation(createProject)
  const form = useSchemaForm({
    schema,
    initial,
    onSubmit: async ({ project_id, name, owner }) => {
      await mutateAsync({ project_id, ...(name ? { name } : {}), ...(owner ? { owner } : {}) })
      toast.success(`Project ${project_id} created`)
      onCreated()
    },
  })
  return (
    <DialogForm form={form} submitLabel="Create project">
      <IdField label="Project id" placeholder="resnet50-baseline" {...form.field('project_id')} />
      <TextField label="Name" optional {...form.field('name')} />
      {forOthers ? (
        <TextField label="Owner" optional hint="A user id. Empty: you." mono {...form.field('owner')} />
      ) : null}
    </DialogForm>
  )
}
