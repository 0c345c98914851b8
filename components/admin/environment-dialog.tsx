import { useMutation } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { createEnvironment, updateEnvironment } from '@/components/queries/environments'
import type { Environment } from '@/lib/contract/access/environments'
import { DialogForm } from '../shell/form'
import { useSchemaForm } from '../shell/use-schema-form'
import { Callout } from '../ui/callout'
import { CheckboxField } from '../ui/checkbox'
import { Dialog } from '../ui/dialog'
import { Link } from '../ui/link'
import { SelectField } from '../ui/select'
import { IdField, TextField } from '../ui/text-field'
import { toast } from '../ui/toaster'
import type { EnvironmentValues } from './form-schemas'

const networks = [
  { value: 'none', label: 'None', description: 'Jobs have no network. The safe choice' },
  { value: 'internet', label: 'Internet', description: 'Jobs can reach the internet' },
] as const

const blank: EnvironmentValues = {
  name: '',
  image: '',
  description: '',
  network: 'none',
  prepare: '',
  is_default: false,
  enabled: true,
}

interface EnvironmentDialogProps {
  /** The environment to edit; null for a new one. */
  environment: Environment | null
  trigger: ReactElement
}

/** Creates or edits an environment. */
export function EnvironmentDialog({ environment, trigger }: EnvironmentDialogProps) {
  return (
    <Dialog
      trigger={trigger}
      title={environment ? environment.name : 'New environment'}
      description="A container image with a name for configs."
    >
      {(close) => <EnvironmentForm environment={environment} onSaved={close} />}
    </Dialog>
  )
}

interface EnvironmentFormProps {
  environment: Environment | null
  onSaved: () => void
}

/** The name of an existing environment cannot change: configs use it. */
function EnvironmentForm({ environment, onSaved }: EnvironmentFormProps) {
  const create = useMutation(createEnvironment)
  const update = useMutation(updateEnvironment)
  const form = useSchemaForm({
    schema: () => import('./form-schemas').then((schemas) => schemas.environmentSchema),
    initial: environment
      ? {
          ...environment,
          description: environment.description ?? '',
          prepare: environment.prepare.join(', '),
        }
      : blank,
    onSubmit: async ({ enabled, ...settings }) => {
      if (environment) await update.mutateAsync({ ...settings, enabled })
      else await create.mutateAsync(settings)
      toast.success(`Environment ${settings.name} saved`)
      onSaved()
    },
  })
  return (
    <DialogForm form={form} submitLabel={environment ? 'Save' : 'Create environment'}>
      {environment ? null : (
        <IdField label="Name" hint="For example: environment: pytorch" {...form.field('name')} />
      )}
      <IdField
        label="Image"
        hint={
          <>
            An image reference for the nodes’ container engine, best with a digest: a tag can change later.{' '}
            <Link href="/docs/admin-guide/approve-environments">What an image needs</Link>
          </>
        }
        placeholder="registry.example.org/pytorch:2.9"
        {...form.field('image')}
      />
      <TextField
        label="Description"
        optional
        hint="Shown beside the name in the form of a new job: the packages, and what it is for."
        {...form.field('description')}
      />
      <SelectField
        label="Network"
        options={networks}
        hint="With internet, a job can send out what it reads."
        {...form.field('network')}
      />
      <IdField
        label="Prepared imports"
        optional
        hint="Python modules that waiting containers import in advance. Each container then takes their memory."
        placeholder="torch, pandas"
        {...form.field('prepare')}
      />
      {environment?.prepare_problem ? (
        <Callout tone="warning" title="These imports are not used">
          {environment.prepare_problem}
        </Callout>
      ) : null}
      <CheckboxField
        label="Default"
        description="For configs that name no environment"
        {...form.field('is_default')}
      />
      {environment ? (
        <CheckboxField
          label="Enabled"
          description="A disabled environment accepts no new jobs"
          {...form.field('enabled')}
        />
      ) : null}
    </DialogForm>
  )
}
