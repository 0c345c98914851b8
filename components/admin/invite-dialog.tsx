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
import { TextField } from '../ui/text-field'
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

/** Creates a user, then shows the link to set a password. */
export function InviteDialog() {
  const [open, setOpen] = useState(false)
  const [created, setCreated] = useState<CreatedUser | null>(null)
  const changeOpen = (next: boolean) => {
    setOpen(next)
    if (next) setCreated(null)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={changeOpen}
      title={created ? `${created.user_id} invited` : 'Invite a user'}
      trigger={
        <Button variant="primary">
          <UserPlus aria-hidden />
          Invite
        </Button>
      }
      {...(created
        ? {
            footer: (
              <DialogClose>
                <Button variant="primary">Done, I copied it</Button>
              </DialogClose>
            ),
          }
        : {})}
    >
      {created?.invitation_url ? (
        <InvitationLink handle={created.user_id} url={created.invitation_url} />
      ) : (
        <InviteForm onCreated={setCreated} />
      )}
    </Dialog>
  )
}

function InviteForm({ onCreated }: { onCreated: (user: CreatedUser) => void }) {
  const { mutateAsync } = useMutation(createUser)
  const form = useSchemaForm({
    schema,
    initial,
    onSubmit: async (user) => onCreated(await mutateAsync(user)),
  })
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <TextField
        label="User id"
        hint="Configs and commands use this id. It cannot be changed."
        mono
        autoCapitalize="none"
        spellCheck={false}
        {...form.field('user_id')}
      />
      <UserFields form={form} />
      <FormActions form={form} submitLabel="Create invitation" />
    </form>
  )
}
