'use client'

import { signIn } from 'next-auth/react'
import { z } from 'zod'
import { FormError, SubmitButton } from '../shell/form'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { TextField } from '../ui/text-field'
import { safeNextPath } from './next-path'
import { describeAnswer, describeErrorName } from './sign-in-error'

interface SignInFormProps {
  /** The page to open after signing in. */
  next: string | undefined
  /** The error code of an external provider. */
  error: string | undefined
  /** External sign-in providers of this server. */
  providers: readonly { id: string; name: string }[]
}

const schema = z.object({ login: z.string().trim().min(1), password: z.string().min(1) })

/** Signs in with a password or an external provider. */
export function SignInForm({ next, error, providers }: SignInFormProps) {
  const redirectTo = safeNextPath(next)
  const form = useSchemaForm({
    schema,
    initial: { login: '', password: '' },
    onSubmit: async (credentials) => {
      const answer = await signIn('credentials', { ...credentials, redirect: false })
      if (answer && !answer.ok) throw new Error(describeAnswer(answer.error))
      // A full page load clears data from before the sign-in.
      window.location.assign(redirectTo)
      await new Promise(() => {})
    },
  })
  return (
    <div className="flex flex-col gap-5">
      <form {...form.props} className="flex flex-col gap-4">
        <TextField
          label="E-mail or user id"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          {...form.field('login')}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          {...form.field('password')}
        />
        <FormError error={form.error ?? (error === undefined ? null : describeErrorName(error))} />
        <SubmitButton form={form} size="lg">
          Sign in
        </SubmitButton>
      </form>
      {providers.length > 0 ? (
        <div className="flex flex-col gap-2 border-t pt-5">
          {providers.map(({ id, name }) => (
            <Button key={id} size="lg" onClick={() => void signIn(id, { callbackUrl: redirectTo })}>
              Sign in with {name}
            </Button>
          ))}
        </div>
      ) : null}
    </div>
  )
}
