'use client'

import { SomethingBroke, type SomethingBrokeProps } from '@/components/shell/something-broke'

export default function ErrorPage(props: SomethingBrokeProps) {
  return (
    <main id="main" tabIndex={-1} className="grid min-h-dvh place-items-center p-4">
      <SomethingBroke {...props} />
    </main>
  )
}
