'use client'

import { signIn } from 'next-auth/react'
import { api } from '@/components/queries/queries'
import { FormFailure } from '../shell/form-actions'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { Field } from '../ui/field'
import { Input } from '../ui/input'
import { newPasswordSchema } from './new-password'

/** Sets the first password by an invitation's link, and signs in with it. */
export function InvitationForm({ token }: { token: string }) {
  const form = useSchemaForm({
    schema: newPasswordSchema,
    initial: { password: '', again: '' },
    send: async ({ password }) => {
      const { user_id: login } = await api.users.acceptInvitation({ token, password })
      const answer = await signIn('credentials', { login, password, redirect: false })
      // The password is set either way: at worst, one signs in with it by hand.
      window.location.assign(answer?.ok ? '/jobs' : '/sign-in')
      await new Promise(() => {})
    },
  })
  return (
    <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
      <Field
        label="Password"
        hint="At least 10 characters. A few words in a row are easy to remember."
        error={form.errorOf('password')}
      >
        <Input
          type="password"
          autoComplete="new-password"
          value={form.values.password}
          onChange={(event) => form.set({ password: event.target.value })}
        />
      </Field>
      <Field label="Password, once more" error={form.errorOf('again')}>
        <Input
          type="password"
          autoComplete="new-password"
          value={form.values.again}
          onChange={(event) => form.set({ again: event.target.value })}
        />
      </Field>
      <FormFailure failure={form.failure} />
      <Button type="submit" variant="primary" size="lg" loading={form.working}>
        Set the password and sign in
      </Button>
    </form>
  )
}
