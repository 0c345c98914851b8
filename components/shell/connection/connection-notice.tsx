import { WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { checkConnection } from './connection'
import { useConnection } from './use-connection'

const checkEveryMs = 3000

const texts = {
  offline: 'You are offline. This page shows what it received before.',
  unreachable: 'gpuq does not answer. This page shows what it received before.',
} as const

/**
 * Says at once that the page cannot reach gpuq. Until it can again, links open nothing: the browser would replace the page, and what is
 * written in it, with an error.
 */
export function ConnectionNotice() {
  const connection = useConnection()
  const lost = connection !== 'ok'
  const [refused, setRefused] = useState(false)
  useEffect(() => {
    if (!lost) return
    setRefused(false)
    void checkConnection()
    const timer = setInterval(() => void checkConnection(), checkEveryMs)
    const refuse = (event: MouseEvent) => {
      if (!isLinkOfSite(event)) return
      event.preventDefault()
      event.stopPropagation()
      setRefused(true)
      void checkConnection()
    }
    document.addEventListener('click', refuse, true)
    return () => {
      clearInterval(timer)
      document.removeEventListener('click', refuse, true)
    }
  }, [lost])
  return (
    // The element always exists, so that screen readers announce a change.
    <div
      role="status"
      className="fixed inset-x-4 bottom-[calc(1rem+var(--footer-height,0px))] z-50 mx-auto w-fit empty:hidden"
    >
      {connection === 'ok' ? null : (
        <p className="flex items-center gap-2 rounded-lg border bg-raised px-3 py-2 text-sm text-warning-ink shadow-float">
          <WifiOff aria-hidden className="size-4 shrink-0" />
          <span>
            {texts[connection]}
            {refused ? ' Links open when the connection is back.' : ''}
          </span>
        </p>
      )}
    </div>
  )
}

/** Whether a click would replace the page with another one of this site. */
function isLinkOfSite({ target, ctrlKey, metaKey, shiftKey }: MouseEvent): boolean {
  const link = target instanceof Element ? target.closest('a') : null
  if (link === null || ctrlKey || metaKey || shiftKey || link.target !== '' || link.download !== '')
    return false
  const { origin, pathname, search, hash } = link
  const here = pathname === location.pathname && search === location.search && hash !== ''
  return origin === location.origin && !here
}
