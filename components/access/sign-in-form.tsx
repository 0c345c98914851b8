'use client'

import { useState } from 'react'
import { FormError, SubmitButton } from '../shell/form'
import { type Checked, useForm } from '../shell/use-form'
import { Button } from '../ui/button'
import { TextField } from '../ui/text-field'
import { safeNextPath } from './next-path'
import { type Credentials, openProvider, signIn } from './sessions/auth-requests'

interface SignInFormProps {
  /** The page to open after signing in. */
  next: string | undefined
  /** The error code of an external provider. */
  error: string | undefined
  /** External sign-in providers of this server. */
  providers: readonly { id: string; name: string }[]
}

function check({ login, password }: Credentials & Record<string, string>): Checked<Credentials> {
  const parsed = { login: login.trim(), password }
  const empty = Object.entries(parsed).filter(([, text]) => text === '')
  if (empty.length === 0) return { ok: true, parsed, errors: {} }
  return { ok: false, errors: Object.fromEntries(empty.map(([name]) => [name, 'Fill in this field.'])) }
}

/** Signs in with a password or an external provider. */
export function SignInForm({ next, error, providers }: SignInFormProps) {
  const redirectTo = safeNextPath(next)
  const [problem, setProblem] = useState(error === undefined ? null : describeErrorName(error))
  const form = useForm({
    check,
    initial: { login: '', password: '' },
    onSubmit: async (credentials) => {
      const error = await signIn(credentials)
      if (error !== null) throw new Error(describeAnswer(error))
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
        <FormError error={form.error ?? problem} />
        <SubmitButton form={form} size="lg">
          Sign in
        </SubmitButton>
      </form>
      {providers.length > 0 ? (
        <div className="flex flex-col gap-2 border-t pt-5">
          {providers.map(({ id, name }) => (
            <Button
              key={id}
              size="lg"
              onClick={() => {
                openProvider(id, redirectTo).catch(({ message }: Error) => setProblem(message))
              }}
            >
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
  OAuthAccountNotLinked: 'This e-mail address signs in another way. Use the way that you used before.',
  SessionRequired: 'Sign in to continue.',
}

const unknownError = 'Signing in failed. Try again.'

/** The message for an error code in the page's address. Only known codes count: a link must not put text on the page. */
function describeErrorName(name: string): string {
  return messages[name] ?? unknownError
}

/** The message for the server's answer, which is an error code or a message. */
function describeAnswer(error: string): string {
  return messages[error] ?? (error.includes(' ') ? error : unknownError)
}
