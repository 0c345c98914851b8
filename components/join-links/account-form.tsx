'use client'

import { api } from '@/components/queries/queries'
import type { JoinProject } from '@/lib/join-links/contract'
import { PasswordHint } from '../access/password-strength'
import { signIn } from '../access/sessions/auth-requests'
import { FormError, SubmitButton } from '../shell/form'
import { useSchemaForm } from '../shell/use-schema-form'
import { IdField, TextField } from '../ui/text-field'

/** Creates an account with a join link, which agrees to the kind of its project, then signs in. */
export function AccountForm({ token, agreement }: { token: string; agreement: JoinProject }) {
  const form = useSchemaForm({
    schema: () => import('./join-schemas').then((schemas) => schemas.newAccountSchema),
    initial: { user_id: '', name: '', password: '', repeated: '' },
    onSubmit: async ({ user_id, name, password }) => {
      await api.joinLinks.createAccount(token, { user_id, password, ...(name ? { name } : {}), ...agreement })
      // The account exists in any case. If signing in fails, the user can do it by hand.
      const error = await signIn({ login: user_id, password }).catch(String)
      window.location.assign(error === null ? '/projects' : '/sign-in')
      await new Promise(() => {})
    },
  })
  const { user_id, name, password } = form.values
  const input = { type: 'password', autoComplete: 'new-password' }
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <IdField
        label="User id"
        hint="Others see it. It cannot be changed."
        autoComplete="username"
        {...form.field('user_id')}
      />
      <TextField label="Name" optional autoComplete="name" {...form.field('name')} />
      <TextField
        label="Password"
        hint={<PasswordHint password={password} about={[user_id, name]} />}
        {...input}
        {...form.field('password')}
      />
      <TextField label="Repeat password" {...input} {...form.field('repeated')} />
      <FormError error={form.error} />
      <SubmitButton form={form} size="lg">
        {agreement.agree_to ? 'Agree, create account and join' : 'Create account and join'}
      </SubmitButton>
    </form>
  )
}
