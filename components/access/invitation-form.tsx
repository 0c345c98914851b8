'use client'

import { signIn } from 'next-auth/react'
import { api } from '@/components/queries/queries'
import { FormError, SubmitButton } from '../shell/form'
import { useSchemaForm } from '../shell/use-schema-form'
import { TextField } from '../ui/text-field'
import { newPasswordSchema } from './new-password'
import { PasswordHint } from './password-strength'

/** Sets the first password with the link of an invitation, then signs in. */
export function InvitationForm({ token, handle }: { token: string; handle: string }) {
  const form = useSchemaForm({
    schema: newPasswordSchema,
    initial: { password: '', repeated: '' },
    onSubmit: async ({ password }) => {
      const { user_id: login } = await api.users.acceptInvitation({ token, password })
      const answer = await signIn('credentials', { login, password, redirect: false })
      // The password is set in any case. If signing in failed, the user can do it by hand.
      window.location.assign(answer?.ok ? '/jobs' : '/sign-in')
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
