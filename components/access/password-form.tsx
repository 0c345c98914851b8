'use client'

import { z } from 'zod'
import { api } from '@/components/queries/queries'
import { FormFailure } from '../shell/form-actions'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { Field } from '../ui/field'
import { Input } from '../ui/input'
import { Panel, PanelBody, PanelFooter, PanelHeader } from '../ui/panel'
import { toast } from '../ui/toaster'
import { newPasswordSchema } from './new-password'

const schema = newPasswordSchema.safeExtend({ current_password: z.string().min(1) })
const initial = { current_password: '', password: '', again: '' }

const fields = [
  { name: 'current_password', label: 'Present password', autoComplete: 'current-password' },
  { name: 'password', label: 'New password', autoComplete: 'new-password', hint: 'At least 10 characters.' },
  { name: 'again', label: 'New password, once more', autoComplete: 'new-password' },
] as const

/** Changes one's own password. */
export function PasswordForm() {
  const form = useSchemaForm({
    schema,
    initial,
    send: async ({ current_password, password }) => {
      await api.users.changePassword({ current_password, new_password: password })
      form.reset()
      toast.success('The password was changed')
    },
  })
  return (
    <Panel>
      <PanelHeader title="Password" />
      <form onSubmit={form.submit} noValidate>
        <PanelBody className="flex max-w-md flex-col gap-4">
          {fields.map(({ name, label, autoComplete, ...rest }) => (
            <Field key={name} label={label} error={form.errorOf(name)} {...rest}>
              <Input
                type="password"
                autoComplete={autoComplete}
                value={form.values[name]}
                onChange={(event) => form.set({ [name]: event.target.value })}
              />
            </Field>
          ))}
          <FormFailure failure={form.failure} />
        </PanelBody>
        <PanelFooter>
          <Button type="submit" variant="primary" loading={form.working}>
            Change the password
          </Button>
        </PanelFooter>
      </form>
    </Panel>
  )
}
