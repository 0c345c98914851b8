'use client'

import { api } from '@/components/queries/queries'
import { FormError, SubmitButton } from '../shell/form'
import { useSchemaForm } from '../shell/use-schema-form'
import { TextField } from '../ui/text-field'
import { PasswordHint } from './password-strength'
import { signIn } from './sessions/auth-requests'

/** Sets the first password with the link of an invitation, then signs in. */
export function InvitationForm({ token, handle }: { token: string; handle: string }) {
  const form = useSchemaForm({
    schema: () => import('./new-password').then((schemas) => schemas.newPasswordSchema),
    initial: { password: '', repeated: '' },
    onSubmit: async ({ password }) => {
      const { user_id: login } = await api.users.acceptInvitation({ token, password })
      // The password is set in any case. If signing in fails, the user can do it by hand.
      const error = await signIn({ login, password }).catch(String)
      window.location.assign(error === null ? '/jobs' : '/sign-in')
      await new Promise(() => {})
    },
  })
  const input = { type: 'password', autoComplete: 'new-password' }
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <TextField
        label="Password"
        hint={<PasswordHint password={form.values.password} about={[handle]} />}
        {...input}
        {...form.field('password')}
      />
      <TextField label="Repeat password" {...input} {...form.field('repeated')} />
      <FormError error={form.error} />
      <SubmitButton form={form} size="lg">
        Set password and sign in
      </SubmitButton>
    </form>
  )
}
