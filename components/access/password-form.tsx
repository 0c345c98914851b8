'use client'

import { useQuery } from '@tanstack/react-query'
import { api, meQuery } from '@/components/queries/queries'
import { PanelForm } from '../shell/form'
import { useSchemaForm } from '../shell/use-schema-form'
import { TextField } from '../ui/text-field'
import { toast } from '../ui/toaster'
import { PasswordHint } from './password-strength'

const fields = [
  { name: 'current_password', label: 'Current password', autoComplete: 'current-password' },
  { name: 'password', label: 'New password', autoComplete: 'new-password' },
  { name: 'repeated', label: 'Repeat new password', autoComplete: 'new-password' },
] as const

/** Changes the signed-in user's password. */
export function PasswordForm() {
  const { data: me } = useQuery(meQuery())
  const about = me ? [me.user_id, me.name, me.email] : []
  const form = useSchemaForm({
    schema: () => import('./new-password').then((schemas) => schemas.changePasswordSchema),
    initial: { current_password: '', password: '', repeated: '' },
    onSubmit: async ({ current_password, password }) => {
      await api.users.changePassword({ current_password, new_password: password })
      form.reset()
      toast.success('Password changed')
    },
  })
  return (
    <PanelForm title="Password" form={form} submitLabel="Change password" className="max-w-md">
      {fields.map(({ name, ...field }) => (
        <TextField
          key={name}
          type="password"
          hint={name === 'password' ? <PasswordHint password={form.values.password} about={about} /> : null}
          {...field}
          {...form.field(name)}
        />
      ))}
    </PanelForm>
  )
}
