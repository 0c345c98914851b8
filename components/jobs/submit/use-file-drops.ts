import { useEffect, useEffectEvent, useState } from 'react'

const carriesFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false

/**
 * Accepts files and folders dropped anywhere on the page. Otherwise the browser would open a file that misses the drop area. Listens
 * in the capture phase, because an editor would insert the file's text. Elements with `data-file-drop` handle their own
 * drops.
 * @returns whether the user is dragging files over the page.
 */
export function useFileDrops(onDrop: (transfer: DataTransfer) => void): boolean {
  const [hovering, setHovering] = useState(false)
  const take = useEffectEvent(onDrop)
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!carriesFiles(event)) return
      event.preventDefault()
      setHovering(true)
    }
    const leave = (event: DragEvent) => {
      // Without a related target, the pointer left the window.
      if (event.relatedTarget === null) setHovering(false)
    }
    const drop = (event: DragEvent) => {
      setHovering(false)
      const hasOwnHandler = event.target instanceof Element && event.target.closest('[data-file-drop]')
      if (!carriesFiles(event) || hasOwnHandler) return
      event.preventDefault()
      event.stopPropagation()
      if (event.dataTransfer) take(event.dataTransfer)
    }
    const options = { capture: true }
    window.addEventListener('dragover', over, options)
    window.addEventListener('dragleave', leave, options)
    window.addEventListener('drop', drop, options)
    return () => {
      window.removeEventListener('dragover', over, options)
      window.removeEventListener('dragleave', leave, options)
      window.removeEventListener('drop', drop, options)
    }
  }, [])
  return hovering
}
