'use client'

import { signIn } from 'next-auth/react'
import { z } from 'zod'
import { FormFailure } from '../shell/form-actions'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { Field } from '../ui/field'
import { Input } from '../ui/input'
import { safeNextPath } from './next-path'
import { describeAnswer, describeErrorName } from './sign-in-error'

interface SignInFormProps {
  /** Where to go afterwards. */
  next: string | undefined
  /** What an outside provider sent the person back with. */
  error: string | undefined
  /** The other ways to sign in that this server offers. */
  providers: readonly { id: string; name: string }[]
}

const schema = z.object({ login: z.string().trim().min(1), password: z.string().min(1) })

/** Signs in with a password, or by way of an outside provider. */
export function SignInForm({ next, error, providers }: SignInFormProps) {
  const goal = safeNextPath(next)
  const form = useSchemaForm({
    schema,
    initial: { login: '', password: '' },
    send: async (credentials) => {
      const answer = await signIn('credentials', { ...credentials, redirect: false })
      if (answer && !answer.ok) throw new Error(describeAnswer(answer.error))
      // A full load, so that nothing from before the sign-in stays.
      window.location.assign(goal)
      await new Promise(() => {})
    },
  })
  const failure = form.failure ?? (error === undefined ? null : describeErrorName(error))
  return (
    <div className="flex flex-col gap-5">
      {/* Sent before this runs, it must not put the password into an address, as the browser's own way would. */}
      <form method="post" onSubmit={form.submit} noValidate className="flex flex-col gap-4">
        <Field label="E-mail or user id" error={form.errorOf('login')}>
          <Input
            name="login"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            value={form.values.login}
            onChange={(event) => form.set({ login: event.target.value })}
          />
        </Field>
        <Field label="Password" error={form.errorOf('password')}>
          <Input
            name="password"
            type="password"
            autoComplete="current-password"
            value={form.values.password}
            onChange={(event) => form.set({ password: event.target.value })}
          />
        </Field>
        <FormFailure failure={failure} />
        <Button type="submit" variant="primary" size="lg" loading={form.working}>
          Sign in
        </Button>
      </form>
      {providers.length > 0 ? <OtherWays providers={providers} goal={goal} /> : null}
    </div>
  )
}

function OtherWays({ providers, goal }: { providers: SignInFormProps['providers']; goal: string }) {
  return (
    <div className="flex flex-col gap-2 border-t pt-5">
      {providers.map(({ id, name }) => (
        <Button key={id} size="lg" onClick={() => void signIn(id, { callbackUrl: goal })}>
          Sign in with {name}
        </Button>
      ))}
    </div>
  )
}
