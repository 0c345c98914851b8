import { NotFound } from '@/components/shell/not-found'

export default function NotFoundPage() {
  return (
    <main id="main" tabIndex={-1} className="grid min-h-dvh place-items-center p-4">
      <NotFound />
    </main>
  )
}
