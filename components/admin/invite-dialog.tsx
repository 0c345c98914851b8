import { useMutation } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { createUser } from '@/components/queries/queries'
import type { CreatedUser } from '@/lib/contract/access/access'
import { DialogForm } from '../shell/form'
import { CopiedButton } from '../shell/shown-once'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { IdField } from '../ui/text-field'
import type { NewUserValues } from './form-schemas'
import { InvitationLink } from './invitation-link'
import { UserFields } from './user-fields'

const initial: NewUserValues = { user_id: '', email: '', name: '', role: 'researcher' }

/** Creates a user, then shows the link to set a password. */
export function InviteDialog() {
  const [created, setCreated] = useState<CreatedUser | null>(null)
  return (
    <Dialog
      onClose={() => setCreated(null)}
      title={created ? `${created.user_id} invited` : 'Invite a user'}
      trigger={
        <Button icon={UserPlus} variant="primary">
          Invite
        </Button>
      }
      footer={created ? <CopiedButton /> : null}
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
    schema: () => import('./form-schemas').then((schemas) => schemas.newUserSchema),
    initial,
    onSubmit: async ({ name, ...user }) =>
      onCreated(await mutateAsync({ ...user, ...(name ? { name } : {}) })),
  })
  return (
    <DialogForm form={form} submitLabel="Create invitation">
      <IdField
        label="User id"
        hint="Configs and commands use this id. It cannot be changed."
        {...form.field('user_id')}
      />
      <UserFields form={form} />
    </DialogForm>
  )
}
