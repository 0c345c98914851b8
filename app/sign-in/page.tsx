import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { AuthLayout } from '@/components/access/auth-layout'
import { safeNextPath } from '@/components/access/next-path'
import { SignInForm } from '@/components/access/sign-in-form'
import { currentActor } from '@/lib/access/sessions/current-actor'
import { signInProviders } from '@/lib/access/sessions/external-providers'
import { readSearchParams, type SearchParams } from '../(site)/search-params'

export const metadata: Metadata = { title: 'Sign in' }

export default async function SignInPage({ searchParams }: { searchParams: SearchParams }) {
  const params = await readSearchParams(searchParams)
  const next = params.get('next') ?? undefined
  if (await currentActor()) redirect(safeNextPath(next))
  return (
    <AuthLayout title="Sign in" note="No account? Forgot your password? Ask your admin for an invitation.">
      <SignInForm next={next} error={params.get('error') ?? undefined} providers={signInProviders()} />
    </AuthLayout>
  )
}
