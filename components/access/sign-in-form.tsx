'use client'

import { signIn } from 'next-auth/react'
import { z } from 'zod'
import { FormError, SubmitButton } from '../shell/form'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { TextField } from '../ui/text-field'
import { safeNextPath } from './next-path'

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
          autoFocus
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

const messages: Readonly<Record<string, string>> = {
  CredentialsSignin: 'The e-mail address or the password is wrong.',
  AccessDenied: 'This account may not sign in here. Ask your admin for an invitation.',
  OAuthAccountNotLinked: 'This e-mail address uses another sign-in method. Use that method.',
  SessionRequired: 'Sign in to continue.',
}

const unknownError = 'Signing in failed. Try again.'

/** The message for an error code in the page's address. Only known codes count: a link must not put text on the page. */
function describeErrorName(name: string): string {
  return messages[name] ?? unknownError
}

/** The message for the server's answer, which is an error code or a message. */
function describeAnswer(error: string | null): string {
  if (error === null) return unknownError
  return messages[error] ?? (error.includes(' ') ? error : unknownError)
}
