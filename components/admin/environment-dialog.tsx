'use client'

import { useMutation } from '@tanstack/react-query'
import { z } from 'zod'
import { createEnvironment, updateEnvironment } from '@/components/queries/queries'
import type { Environment } from '@/lib/contract/access'
import { idSchema } from '@/lib/contract/jobs'
import { FormActions } from '../shell/form-actions'
import { useSchemaForm } from '../shell/use-schema-form'
import { Checkbox } from '../ui/checkbox'
import { Dialog } from '../ui/dialog'
import { Field } from '../ui/field'
import { Input } from '../ui/input'
import { Select } from '../ui/select'
import { toast } from '../ui/toaster'

const networks = [
  { value: 'none', label: 'None', description: 'Jobs reach nothing: the safe choice' },
  { value: 'internet', label: 'Internet', description: 'Jobs may reach the internet' },
] as const

const schema = z.object({
  name: idSchema,
  image: z.string().trim().min(1).max(300),
  description: z
    .string()
    .trim()
    .max(300)
    .transform((text) => text || null),
  network: z.enum(networks.map(({ value }) => value)),
  is_default: z.boolean(),
  enabled: z.boolean(),
})

type Values = z.input<typeof schema>

const blank: Values = {
  name: '',
  image: '',
  description: '',
  network: 'none',
  is_default: false,
  enabled: true,
}

interface EnvironmentDialogProps {
  /** The one to change; null for a new one. */
  environment: Environment | null
  onClose: () => void
}

/** Makes or changes an environment. */
export function EnvironmentDialog({ environment, onClose }: EnvironmentDialogProps) {
  const create = useMutation(createEnvironment)
  const update = useMutation(updateEnvironment)
  const form = useSchemaForm({
    schema,
    initial: environment ? { ...environment, description: environment.description ?? '' } : blank,
    send: async ({ enabled, ...facts }) => {
      if (environment) await update.mutateAsync({ ...facts, enabled })
      else await create.mutateAsync(facts)
      toast.success(`Environment ${facts.name} was saved`)
      onClose()
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={environment ? environment.name : 'New environment'}
      description="A container image that configs call by its name."
    >
      <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
        <EnvironmentFields
          values={form.values}
          errorOf={form.errorOf}
          set={form.set}
          exists={environment !== null}
        />
        <FormActions form={form} send={environment ? 'Save' : 'Make the environment'} />
      </form>
    </Dialog>
  )
}

interface EnvironmentFieldsProps {
  values: Values
  errorOf: (name: keyof Values) => string | undefined
  set: (change: Partial<Values>) => void
  /** Its name stays, because configs call it by that. */
  exists: boolean
}

function EnvironmentFields({ values, errorOf, set, exists }: EnvironmentFieldsProps) {
  return (
    <>
      {exists ? null : (
        <Field label="Name" hint="As in environment: pytorch" error={errorOf('name')}>
          <Input
            mono
            autoCapitalize="none"
            spellCheck={false}
            value={values.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        </Field>
      )}
      <Field label="Image" hint="As the nodes' engine knows it, best with a digest." error={errorOf('image')}>
        <Input
          mono
          spellCheck={false}
          placeholder="registry.example.org/pytorch:2.9"
          value={values.image}
          onChange={(event) => set({ image: event.target.value })}
        />
      </Field>
      <Field label="Description" optional error={errorOf('description')}>
        <Input value={values.description} onChange={(event) => set({ description: event.target.value })} />
      </Field>
      <Field label="Network" error={errorOf('network')}>
        <Select options={networks} value={values.network} onValueChange={(network) => set({ network })} />
      </Field>
      <Checkbox
        label="Default"
        description="Taken by configs that name no environment"
        checked={values.is_default}
        onCheckedChange={(on) => set({ is_default: on === true })}
      />
      {exists ? (
        <Checkbox
          label="Enabled"
          description="A disabled one takes no new jobs"
          checked={values.enabled}
          onCheckedChange={(on) => set({ enabled: on === true })}
        />
      ) : null}
    </>
  )
}
