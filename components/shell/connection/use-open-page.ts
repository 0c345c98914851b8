import { useRouter } from 'next/navigation'
import { currentConnection } from './connection'

/** Returns a function that opens a page of the site. Like a link, it opens nothing while gpuq cannot be reached. */
export function useOpenPage(): (href: string) => void {
  const router = useRouter()
  return (href) => {
    if (currentConnection() === 'ok') router.push(href)
  }
}
