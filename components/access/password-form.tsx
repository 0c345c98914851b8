'use client'

import { z } from 'zod'
import { api } from '@/components/queries/queries'
import { PanelForm } from '../shell/form'
import { useSchemaForm } from '../shell/use-schema-form'
import { TextField } from '../ui/text-field'
import { toast } from '../ui/toaster'
import { newPasswordSchema } from './new-password'

const schema = newPasswordSchema.safeExtend({ current_password: z.string().min(1) })

const fields = [
  { name: 'current_password', label: 'Current password', autoComplete: 'current-password' },
  { name: 'password', label: 'New password', autoComplete: 'new-password', hint: 'At least 10 characters.' },
  { name: 'repeated', label: 'Repeat new password', autoComplete: 'new-password' },
] as const

/** Changes the signed-in user's password. */
export function PasswordForm() {
  const form = useSchemaForm({
    schema,
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
        <TextField key={name} type="password" {...field} {...form.field(name)} />
      ))}
    </PanelForm>
  )
}
