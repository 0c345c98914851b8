import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { createProject } from '@/components/queries/queries'
import { DialogForm } from '../shell/form'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { SelectField } from '../ui/select'
import { IdField, TextField } from '../ui/text-field'
import { toast } from '../ui/toaster'

const initial = { project_id: '', name: '', kind: 'private' as const, owner: '' }

const kindOptions = [
  { value: 'private', label: 'private', description: 'Nobody else sees your jobs' },
  {
    value: 'team',
    label: 'team',
    description: 'Its owner sees the jobs of members, who agree when they join',
  },
  {
    value: 'class',
    label: 'class',
    description: 'Its owner and managers see the jobs of members, who agree when they join',
  },
] as const

interface NewProjectProps {
  /** Whether the project may belong to another user. */
  forOthers?: boolean
  /** Whether the user may make teams and classes. */
  classes?: boolean
}

/** Creates a project to share. A job whose config names a new project creates it too. */
export function NewProjectDialog({ forOthers = false, classes = false }: NewProjectProps) {
  return (
    <Dialog
      title="New project"
      description="Write its id as project_id in the config of a job."
      trigger={
        <Button icon={Plus} variant="primary">
          New project
        </Button>
      }
    >
      {(close) => <NewProjectForm forOthers={forOthers} classes={classes} onCreated={close} />}
    </Dialog>
  )
}

function NewProjectForm({ forOthers, classes, onCreated }: NewProjectProps & { onCreated: () => void }) {
  const { mutateAsync } = useMutation(createProject)
  const form = useSchemaForm({
    schema: () => import('./form-schemas').then((schemas) => schemas.newProjectSchema),
    initial,
    onSubmit: async ({ project_id, name, kind, owner }) => {
      await mutateAsync({ project_id, kind, ...(name ? { name } : {}), ...(owner ? { owner } : {}) })
      toast.success(`Project ${project_id} created`)
      onCreated()
    },
  })
  return (
    <DialogForm form={form} submitLabel="Create project">
      <IdField label="Project id" placeholder="resnet50-baseline" {...form.field('project_id')} />
      <TextField label="Name" optional {...form.field('name')} />
      {classes ? <SelectField label="Kind" options={kindOptions} {...form.field('kind')} /> : null}
      {forOthers ? (
        <TextField label="Owner" optional hint="A user id. Empty: you." mono {...form.field('owner')} />
      ) : null}
    </DialogForm>
  )
}
