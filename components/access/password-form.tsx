'use client'

import { z } from 'zod'
import { api } from '@/components/queries/queries'
import { FormError } from '../shell/form-actions'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { Panel, PanelBody, PanelFooter, PanelHeader } from '../ui/panel'
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
    <Panel>
      <PanelHeader title="Password" />
      <form {...form.props}>
        <PanelBody className="flex max-w-md flex-col gap-4">
          {fields.map(({ name, ...field }) => (
            <TextField key={name} type="password" {...field} {...form.field(name)} />
          ))}
          <FormError error={form.error} />
        </PanelBody>
        <PanelFooter>
          <Button type="submit" variant="primary" loading={form.submitting}>
            Change password
          </Button>
        </PanelFooter>
      </form>
    </Panel>
  )
}
