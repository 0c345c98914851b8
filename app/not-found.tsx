import { NothingHere } from '@/components/shell/nothing-here'

export default function NotFound() {
  return (
    <main id="main" tabIndex={-1} className="grid min-h-dvh place-items-center p-4">
      <NothingHere />
    </main>
  )
}
