'use client'

import { PageError, type PageErrorProps } from '@/components/shell/page-error'

export default function ErrorPage(props: PageErrorProps) {
  return (
    <main id="main" tabIndex={-1} className="grid min-h-dvh place-items-center p-4">
      <PageError {...props} />
    </main>
  )
}
