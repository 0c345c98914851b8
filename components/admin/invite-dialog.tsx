'use client'

import { useMutation } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { createUser } from '@/components/queries/queries'
import type { CreatedUser } from '@/lib/contract/access'
import { idSchema } from '@/lib/contract/jobs'
import { roles } from '@/lib/contract/roles'
import { FormActions } from '../shell/form-actions'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { Dialog, DialogClose } from '../ui/dialog'
import { Field } from '../ui/field'
import { Input } from '../ui/input'
import { InvitationLink } from './invitation-link'
import { UserFields } from './user-fields'

const schema = z.object({
  user_id: idSchema,
  email: z.union([z.literal(''), z.email().max(254)]).transform((email) => email || undefined),
  name: z
    .string()
    .trim()
    .max(100)
    .transform((name) => name || undefined),
  role: z.enum(roles),
})

const initial: z.input<typeof schema> = { user_id: '', email: '', name: '', role: 'researcher' }

/** Makes a user, then shows the link that lets them set their password. */
export function InviteDialog() {
  const [open, setOpen] = useState(false)
  const [made, setMade] = useState<CreatedUser | null>(null)
  const change = (next: boolean) => {
    setOpen(next)
    if (next) setMade(null)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={made ? `${made.user_id} is invited` : 'Invite a user'}
      trigger={
        <Button variant="primary">
          <UserPlus aria-hidden />
          Invite
        </Button>
      }
      {...(made
        ? {
            footer: (
              <DialogClose>
                <Button variant="primary">Done, I have copied it</Button>
              </DialogClose>
            ),
          }
        : {})}
    >
      {made?.invitation_url ? (
        <InvitationLink handle={made.user_id} url={made.invitation_url} />
      ) : (
        <InviteForm onMade={setMade} />
      )}
    </Dialog>
  )
}

function InviteForm({ onMade }: { onMade: (user: CreatedUser) => void }) {
  const { mutateAsync } = useMutation(createUser)
  const form = useSchemaForm({
    schema,
    initial,
    send: async (user) => onMade(await mutateAsync(user)),
  })
  return (
    <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
      <Field
        label="User id"
        hint="How every config and command calls them. It cannot be changed later."
        error={form.errorOf('user_id')}
      >
        <Input
          mono
          autoCapitalize="none"
          spellCheck={false}
          value={form.values.user_id}
          onChange={(event) => form.set({ user_id: event.target.value })}
        />
      </Field>
      <UserFields values={form.values} errorOf={form.errorOf} set={form.set} />
      <FormActions form={form} send="Make the invitation" />
    </form>
  )
}
