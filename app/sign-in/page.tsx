import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { AuthLayout } from '@/components/access/auth-layout'
import { safeNextPath } from '@/components/access/next-path'
import { SignInForm } from '@/components/access/sign-in-form'
import { currentActor } from '@/lib/access/sessions/current-actor'
import { signInProviders } from '@/lib/access/sessions/external-providers'
import { type PageSearch, readSearch } from '../(site)/page-search'

export const metadata: Metadata = { title: 'Sign in' }

export default async function SignInPage({ searchParams }: { searchParams: PageSearch }) {
  const params = await readSearch(searchParams)
  const next = params.get('next') ?? undefined
  if (await currentActor()) redirect(safeNextPath(next))
  return (
    <AuthLayout
      title="Sign in"
      note="No account yet, or the password lost? Ask your admin for an invitation."
    >
      <SignInForm next={next} error={params.get('error') ?? undefined} providers={signInProviders()} />
    </AuthLayout>
  )
}
