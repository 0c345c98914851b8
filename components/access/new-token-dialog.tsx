'use client'

import { useMutation } from '@tanstack/react-query'
import { type ReactElement, useId, useState } from 'react'
import { z } from 'zod'
import { createToken } from '@/components/queries/queries'
import type { CreatedToken } from '@/lib/contract/access'
import { idSchema } from '@/lib/contract/jobs'
import { type Scope, scopes } from '@/lib/contract/roles'
import { FormActions } from '../shell/form-actions'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { Checkbox } from '../ui/checkbox'
import { Dialog, DialogClose } from '../ui/dialog'
import { Field } from '../ui/field'
import { Input } from '../ui/input'
import { Select } from '../ui/select'
import { TokenHandover } from './token-handover'

const lifetimes = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: 'never', label: 'No end', description: 'Until it is revoked' },
] as const

const scopeNotes = {
  submit: 'Submit and cancel jobs',
  read: 'See jobs, results and lists',
  admin: 'Everything an admin may do',
} as const satisfies Record<Scope, string>

const schema = z.object({
  user_id: z.union([z.literal(''), idSchema]),
  name: z.string().trim().min(1).max(100),
  scopes: z.array(z.enum(scopes)).min(1),
  lifetime: z.enum(lifetimes.map(({ value }) => value)),
})

type Values = z.input<typeof schema>

interface NewTokenDialogProps {
  trigger?: ReactElement
  open?: boolean
  onOpenChange?: (open: boolean) => void
  /** Admins may make a token for another user, and one with the scope `admin` for themselves. */
  admin: boolean
  /** Whose token it will be; an admin may type another. Left out: the admin says whose. */
  owner?: string
}

/** Makes a token, then shows it once. */
export function NewTokenDialog({ trigger, admin, owner, ...control }: NewTokenDialogProps) {
  const [ownOpen, setOwnOpen] = useState(false)
  const [made, setMade] = useState<CreatedToken | null>(null)
  const setOpen = (open: boolean) => {
    setOwnOpen(open)
    // The token leaves the page's memory with the window that showed it.
    if (open) setMade(null)
    else setTimeout(() => setMade(null), 200)
    control.onOpenChange?.(open)
  }
  return (
    <Dialog
      {...(trigger ? { trigger } : {})}
      open={control.open ?? ownOpen}
      onOpenChange={setOpen}
      title={made ? `Token for ${made.user_id}` : 'New token'}
      {...(made
        ? {
            footer: (
              <DialogClose>
                <Button variant="primary">Done, I have copied it</Button>
              </DialogClose>
            ),
          }
        : { description: 'For curl, scripts and other programs.' })}
    >
      {made ? <TokenHandover token={made} /> : <NewTokenForm admin={admin} owner={owner} onMade={setMade} />}
    </Dialog>
  )
}

interface NewTokenFormProps {
  admin: boolean
  owner: string | undefined
  onMade: (token: CreatedToken) => void
}

function NewTokenForm({ admin, owner, onMade }: NewTokenFormProps) {
  const { mutateAsync } = useMutation(createToken)
  const initial: Values = { user_id: '', name: '', scopes: ['submit', 'read'], lifetime: '90' }
  const form = useSchemaForm({
    schema: owner === undefined ? schema.extend({ user_id: idSchema }) : schema,
    initial,
    send: async ({ user_id, name, scopes: chosen, lifetime }) =>
      onMade(
        await mutateAsync({
          name,
          scopes: chosen,
          expires_in_days: lifetime === 'never' ? null : Number(lifetime),
          ...(user_id || owner ? { user_id: user_id || owner } : {}),
        }),
      ),
  })
  return (
    <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
      {owner === undefined ? (
        <Field label="User id" hint="Whose token it will be." error={form.errorOf('user_id')}>
          <Input
            mono
            autoCapitalize="none"
            spellCheck={false}
            value={form.values.user_id}
            onChange={(event) => form.set({ user_id: event.target.value })}
          />
        </Field>
      ) : null}
      <Field label="Name" hint="Where it will be used: laptop, CI, notebook." error={form.errorOf('name')}>
        <Input value={form.values.name} onChange={(event) => form.set({ name: event.target.value })} />
      </Field>
      <Field label="Valid for" error={form.errorOf('lifetime')}>
        <Select
          options={lifetimes}
          value={form.values.lifetime}
          onValueChange={(lifetime) => form.set({ lifetime })}
        />
      </Field>
      <ScopeChoice
        offered={admin ? scopes : scopes.filter((scope) => scope !== 'admin')}
        chosen={form.values.scopes}
        error={form.errorOf('scopes')}
        onChange={(chosen) => form.set({ scopes: chosen })}
      />
      <FormActions form={form} send="Make the token" />
    </form>
  )
}

interface ScopeChoiceProps {
  offered: readonly Scope[]
  chosen: readonly Scope[]
  error: string | undefined
  onChange: (chosen: Scope[]) => void
}

function ScopeChoice({ offered, chosen, error, onChange }: ScopeChoiceProps) {
  const noteId = useId()
  return (
    <fieldset aria-describedby={error ? noteId : undefined}>
      <legend className="mb-1.5 font-medium text-ink text-sm">What it may do</legend>
      <div className="flex flex-col gap-1.5">
        {offered.map((scope) => (
          <Checkbox
            key={scope}
            label={scope}
            description={scopeNotes[scope]}
            checked={chosen.includes(scope)}
            aria-invalid={error ? true : undefined}
            onCheckedChange={(on) =>
              onChange(offered.filter((own) => (own === scope ? on === true : chosen.includes(own))))
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
