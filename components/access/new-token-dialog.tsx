import { useMutation } from '@tanstack/react-query'
import { type ComponentProps, useId, useState } from 'react'
import { createToken } from '@/components/queries/queries'
import type { CreatedToken } from '@/lib/contract/access/access'
import { type Scope, scopes } from '@/lib/contract/access/roles'
import { DialogForm } from '../shell/form'
import { CopiedButton } from '../shell/shown-once'
import { useSchemaForm } from '../shell/use-schema-form'
import { Checkbox } from '../ui/checkbox'
import { Dialog } from '../ui/dialog'
import type { FieldBinding } from '../ui/field-context'
import { SelectField } from '../ui/select'
import { IdField, TextField } from '../ui/text-field'
import { CreatedTokenDetails } from './created-token'
import type { TokenValues } from './form-schemas'

const lifetimes = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'never', label: 'No expiry', description: 'Until it is revoked' },
] as const

const scopeDescriptions = {
  submit: 'Submit and cancel jobs',
  read: 'Read jobs, results and lists',
  admin: 'All admin actions',
} as const satisfies Record<Scope, string>

interface NewTokenDialogProps extends Pick<ComponentProps<typeof Dialog>, 'onClose' | 'trigger'> {
  /** Admins may create tokens for other users, and tokens with the scope `admin`. */
  admin: boolean
  /** The user of the token. Without it, the form asks for one. */
  owner?: string | undefined
}

/** Creates a token, then shows it once. */
export function NewTokenDialog({ trigger, onClose, admin, owner }: NewTokenDialogProps) {
  const [created, setCreated] = useState<CreatedToken | null>(null)
  return (
    <Dialog
      trigger={trigger}
      onClose={() => {
        // The page forgets the token when the dialog that showed it closes.
        setCreated(null)
        onClose?.()
      }}
      title={created ? `Token for ${created.user_id}` : 'New token'}
      description={created ? null : 'For curl, scripts, agents and other programs.'}
      footer={created ? <CopiedButton /> : null}
    >
      {created ? (
        <CreatedTokenDetails token={created} />
      ) : (
        <NewTokenForm admin={admin} owner={owner} onCreated={setCreated} />
      )}
    </Dialog>
  )
}

interface NewTokenFormProps {
  admin: boolean
  owner: string | undefined
  onCreated: (token: CreatedToken) => void
}

function NewTokenForm({ admin, owner, onCreated }: NewTokenFormProps) {
  const { mutateAsync } = useMutation(createToken)
  const initial: TokenValues = {
    user_id: '',
    name: '',
    scopes: ['submit', 'read'],
    lifetime: '90',
    for_agent: false,
    ...noAgentLimits,
  }
  const form = useSchemaForm({
    schema: () =>
      import('./form-schemas').then(({ ownTokenSchema, tokenSchema }) =>
        owner === undefined ? tokenSchema : ownTokenSchema,
      ),
    initial,
    onSubmit: async ({ user_id, name, scopes: granted, lifetime, for_agent, max_time_hours, ...limits }) =>
      onCreated(
        await mutateAsync({
          name,
          scopes: for_agent ? ['submit', 'read'] : granted,
          ...(for_agent
            ? {
                limits: {
                  ...limits,
                  max_time: max_time_hours === null ? null : Math.max(1, Math.round(max_time_hours * 3600)),
                },
              }
            : {}),
          expires_in_days: lifetime === 'never' ? null : Number(lifetime),
          ...(user_id || owner ? { user_id: user_id || owner } : {}),
        }),
      ),
  })
  const forAgent = form.field('for_agent')
  return (
    <DialogForm form={form} submitLabel="Create token">
      {owner === undefined ? (
        <IdField label="User id" hint="The token acts as this user." {...form.field('user_id')} />
      ) : null}
      <TextField label="Name" hint="Where you will use it: laptop, CI, notebook." {...form.field('name')} />
      <SelectField label="Valid for" options={lifetimes} {...form.field('lifetime')} />
      <Checkbox
        label="For an agent"
        description="It submits jobs within limits, and reads and cancels only those."
        checked={forAgent.value}
        onCheckedChange={forAgent.onChange}
      />
      {forAgent.value ? (
        <AgentLimitFields form={form} />
      ) : (
        <ScopeChoice
          offered={admin ? scopes : scopes.filter((scope) => scope !== 'admin')}
          {...form.field('scopes')}
        />
      )}
    </DialogForm>
  )
}

const noAgentLimits = {
  gpu_hours: '',
  gpu_hours_per_day: '',
  max_gpus: '',
  ask_above_gpu_hours: '',
  max_time_hours: '',
  max_priority: '',
  projects: '',
  environments: '',
}

function AgentLimitFields({
  form,
}: {
  form: { field: (name: keyof typeof noAgentLimits) => FieldBinding<string> }
}) {
  return (
    <>
      <p className="text-muted text-sm">Empty: no limit of its own. Your limits apply as well.</p>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField label="GPU hours in all" inputMode="decimal" {...form.field('gpu_hours')} />
        <TextField label="GPU hours a day" inputMode="decimal" {...form.field('gpu_hours_per_day')} />
        <TextField label="GPUs at once" inputMode="decimal" {...form.field('max_gpus')} />
        <TextField label="Longest job, in hours" inputMode="decimal" {...form.field('max_time_hours')} />
        <TextField label="Highest priority" inputMode="numeric" {...form.field('max_priority')} />
        <TextField
          label="Ask me above GPU hours"
          hint="A job or group that may cost more waits until a person approves it. 0: each one with a GPU."
          inputMode="decimal"
          {...form.field('ask_above_gpu_hours')}
        />
        <TextField label="Only in the projects" hint="Separated by commas." {...form.field('projects')} />
        <TextField
          label="Only in the environments"
          hint="Separated by commas."
          {...form.field('environments')}
        />
      </div>
    </>
  )
}

interface ScopeChoiceProps extends FieldBinding<Scope[]> {
  offered: readonly Scope[]
}

function ScopeChoice({ offered, value, error, onChange }: ScopeChoiceProps) {
  const noteId = useId()
  return (
    <fieldset aria-describedby={error ? noteId : undefined}>
      <legend className="mb-1.5 font-medium text-ink text-sm">Scopes</legend>
      <div className="flex flex-col gap-1.5">
        {offered.map((scope) => (
          <Checkbox
            key={scope}
            label={scope}
            description={scopeDescriptions[scope]}
            checked={value.includes(scope)}
            aria-invalid={error ? true : undefined}
            onCheckedChange={(on) =>
              onChange(offered.filter((own) => (own === scope ? on : value.includes(own))))
            }
          />
        ))}
      </div>
      <p id={noteId} aria-live="polite" className="text-danger-ink text-xs">
        {error}
      </p>
    </fieldset>
  )
}
